// Programs under load, each a process of its own, started as their users start them.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseServer } from './database-server.ts';

export const ROOT = path.join(import.meta.dirname, '..');

export type RunningProgram = {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process to its first good answer. */
  readonly readyMs: number;
  /** What it has printed so far. */
  output(): string;
  hasEnded(): boolean;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
};

type Program = {
  /** The name of its output file in the folder of the run. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Its address, or the pattern that finds the address in its output. */
  readonly url: string | RegExp;
  /** The path that answers 200 when the program is ready. */
  readonly readyPath: string;
};

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 30_000;
const READY_CHECK_MS = 10;
const OUTPUT_TAIL = 2_000;
let started = 0;
const running = new Set<ChildProcess>();

/** For a run that is interrupted. */
export async function stopAllPrograms(): Promise<void> {
  await Promise.all([...running].map(stopProcess));
}

export async function startProgram({ dir }: Pick<DatabaseServer, 'dir'>, program: Program): Promise<RunningProgram> {
  // Output goes to a file: reading it here would take processor time from the load.
  const outputPath = path.join(dir, `${program.name}-${++started}.log`);
  const file = openSync(outputPath, 'w');
  const startedAt = performance.now();
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? ROOT,
    env: { ...cleanEnvironment(), ...program.env },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  running.add(child);
  child.once('exit', () => running.delete(child));
  const output = () => readFileSync(outputPath, 'utf8');
  const url = await waitUntilReady(program, child, output);
  return {
    url,
    pid: child.pid!,
    readyMs: performance.now() - startedAt,
    output,
    hasEnded: () => hasEnded(child),
    signal: name => void child.kill(name),
    stop: () => stopProcess(child),
  };
}

/** A command that ends by itself: its exit code and the lines that it printed. `folder`: of another version. */
export function runTrilho(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  folder = ROOT,
): Promise<{ readonly code: number; readonly lines: string[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/trilho.js', ...args], {
      cwd: folder,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', code => {
      running.delete(child);
      resolve({ code: code ?? -1, lines: text.trimEnd().split('\n') });
    });
  });
}

async function waitUntilReady(program: Program, child: ChildProcess, output: () => string): Promise<string> {
  let spawnError: Error | undefined;
  child.once('error', error => {
    spawnError = error;
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && !spawnError && !hasEnded(child)) {
    const url = typeof program.url === 'string' ? program.url : program.url.exec(output())?.[1];
    if (url !== undefined && (await isOk(url + program.readyPath))) return url;
    await wait(READY_CHECK_MS);
  }
  await stopProcess(child);
  throw new Error(`${program.name} did not start. ${spawnError?.message ?? ''}\n${output().slice(-OUTPUT_TAIL)}`);
}

async function isOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || hasEnded(child)) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(killTimer);
}

/** This process's environment without the variables that change how a program runs. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(TRILHO_|npm_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$|NODE_OPTIONS$)/.test(name),
  );
  return Object.fromEntries(kept);
}
