// Programs under load, each a process of its own, started as their users start them.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stage } from './stage.ts';

export const ROOT = path.join(import.meta.dirname, '..');

export type Running = {
  readonly url: string;
  /** Milliseconds from the start of the process to its first good answer. */
  readonly readyMs: number;
  /** What it has printed. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
};

type Program = {
  /** What its output is called in the folder of the run. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  /** The address is what it prints after these words; or it is known beforehand. */
  readonly url: string | RegExp;
  /** Answers with 200 when it can serve. */
  readonly readyAt: string;
};

const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 10;
const LAST_WORDS = 2_000;
let started = 0;
const alive = new Set<ChildProcess>();

/** Ends whatever still runs, when the run itself is ended before its time. */
export async function endAll(): Promise<void> {
  await Promise.all([...alive].map(end));
}

export async function run({ dir }: Pick<Stage, 'dir'>, program: Program): Promise<Running> {
  // Into a file: reading it here would cost the load its share of the machine.
  const output = path.join(dir, `${program.name}-${++started}.log`);
  const file = openSync(output, 'w');
  const startedAt = performance.now();
  const child = spawn(program.command, program.args, {
    cwd: program.cwd ?? ROOT,
    env: { ...plainEnvironment(), ...program.env },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const words = () => readFileSync(output, 'utf8');
  const url = await untilReady(program, child, words);
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  return { url, readyMs: performance.now() - startedAt, output: words, signal, stop: () => end(child) };
}

async function untilReady(program: Program, child: ChildProcess, words: () => string): Promise<string> {
  let fault: Error | undefined;
  child.once('error', error => {
    fault = error;
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline && !fault && child.exitCode === null && child.signalCode === null) {
    const url = typeof program.url === 'string' ? program.url : program.url.exec(words())?.[1];
    if (url !== undefined && (await answers(url + program.readyAt))) return url;
    await wait(LOOK_AGAIN_MS);
  }
  await end(child);
  throw new Error(`${program.name} did not start. ${fault?.message ?? ''}\n${words().slice(-LAST_WORDS)}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await gone;
  clearTimeout(late);
}

/** Ours without what would change how a program runs. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const ours = Object.entries(process.env).filter(
    ([name]) => !/^(TRILHO_|npm_|DATABASE_URL$|PORT$|HOST$|LOG_LEVEL$|NODE_OPTIONS$)/.test(name),
  );
  return Object.fromEntries(ours);
}

const LISTENS = /listens on (http:\S+)/;

/** The service on a database of the stage. It writes its log as it does for its users. */
export function runTrilho(stage: Stage, database: string, { workers = true } = {}): Promise<Running> {
  return run(stage, {
    name: 'trilho',
    command: process.execPath,
    args: workers ? ['bin/trilho.js', 'serve'] : ['bench/service.ts'],
    env: { DATABASE_URL: stage.url(database), PORT: '0', TRILHO_DEMO: 'off' },
    url: LISTENS,
    readyAt: '/readyz',
  });
}

/** The service as `npm start` starts it, with the database that it brings, in a folder of its own. */
export function runNpmStart(stage: Stage, dataDir: string): Promise<Running> {
  return run(stage, {
    name: 'npm-start',
    command: 'npm',
    args: ['start'],
    env: { TRILHO_DATA_DIR: dataDir, PORT: '0' },
    url: LISTENS,
    readyAt: '/readyz',
  });
}

/** Memory of the service as it tells itself. */
export async function residentBytes({ url }: Running): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
  if (bytes === undefined) throw new Error('/metrics does not tell of memory');
  return Number(bytes);
}
