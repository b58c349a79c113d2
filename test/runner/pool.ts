// Deals test files out to worker processes. No file can hang a run: each has a time limit, and what it has started ends with it.
import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Order, Report, TestResult } from './messages.ts';
import { ROOT } from './select.ts';

export type FileResult = {
  readonly file: string;
  readonly results: readonly TestResult[];
  readonly cpuMs: number;
  readonly wallMs: number;
  /** What it printed, where something failed. */
  readonly output: string;
};

type PoolOptions = {
  readonly workers: number;
  /** Whether a file needs a process of its own, because it may change what others see. */
  isIsolated(file: string): boolean;
  /** Aborted when the time of a file is over. */
  limit(file: string): AbortSignal;
  readonly env: NodeJS.ProcessEnv;
  onFile(result: FileResult): void;
};

const WORKER = path.join(import.meta.dirname, 'worker.ts');
const REPORTER = path.join(import.meta.dirname, 'reporter.ts');
/** A worker that has grown past this is replaced. */
const MAX_MEMORY_BYTES = 1_500 * 1024 * 1024;
const MAX_OUTPUT = 20_000;

/** Runs every file once, in the given order. */
export async function runFiles(files: readonly string[], options: PoolOptions): Promise<void> {
  const queue = [...files];
  const work = async () => {
    let worker: Worker | undefined;
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const isIsolated = options.isIsolated(file);
      if (isIsolated) worker = await worker?.end();
      worker ??= startWorker(options.env);
      const { result, isReusable } = await worker.run(file, options.limit(file));
      if (!isReusable || isIsolated) worker = await worker.end();
      options.onFile(result);
    }
    await worker?.end();
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, files.length) }, work));
}

type Worker = {
  /** `isReusable`: another file may run in the same process. */
  run(file: string, limit: AbortSignal): Promise<{ readonly result: FileResult; readonly isReusable: boolean }>;
  end(): Promise<undefined>;
};

function startWorker(env: NodeJS.ProcessEnv): Worker {
  const child = fork(WORKER, {
    // A larger nursery halves the time that collecting garbage takes.
    execArgv: ['--test-reporter', REPORTER, '--no-warnings', '--max-semi-space-size=64'],
    env,
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT);
    });
  }
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()));

  async function run(file: string, limit: AbortSignal) {
    output = '';
    const began = performance.now();
    const outcome = await runInWorker(child, file, limit);
    const isFailed = outcome.results.some(({ failure }) => failure !== undefined);
    const isReusable = !isFailed && outcome.memoryBytes < MAX_MEMORY_BYTES;
    const wallMs = performance.now() - began;
    return {
      result: { file, results: outcome.results, cpuMs: outcome.cpuMs, wallMs, output: isFailed ? output : '' },
      isReusable,
    };
  }

  return {
    run,
    async end() {
      const started = descendantsOf(child.pid ?? 0);
      // It may be gone already.
      child.send('end' satisfies Order, () => {});
      const patience = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
      await closed;
      clearTimeout(patience);
      for (const pid of started) kill(pid);
      return undefined;
    },
  };
}

const END_LIMIT_MS = 10_000;

type FileOutcome = { readonly results: readonly TestResult[]; readonly cpuMs: number; readonly memoryBytes: number };

/** Sends a file to the worker and waits until it is done, its process exits or the limit is reached. */
function runInWorker(child: ChildProcess, file: string, limit: AbortSignal): Promise<FileOutcome> {
  const { promise, resolve } = Promise.withResolvers<FileOutcome>();
  const running = new Map<string, number>();
  let results: readonly TestResult[] | undefined;
  let done: Extract<Report, { kind: 'done' }> | undefined;
  const failed = (failure: string): FileOutcome => {
    const names = [...running].filter(([name, count]) => count > 0 && name !== file).map(([name]) => name);
    const during = names.length > 0 ? ` Running: ${names.join('; ')}.` : '';
    return { results: [{ name: file, failure: failure + during }], cpuMs: 0, memoryBytes: 0 };
  };
  const onMessage = (report: Report) => {
    if (report.kind === 'results') results = report.results;
    else if (report.kind === 'done') done = report;
    else running.set(report.name, (running.get(report.name) ?? 0) + (report.kind === 'begun' ? 1 : -1));
    if (results && done) resolve({ results, ...done });
  };
  const onExit = (code: number | null, signal: string | null) =>
    resolve(failed(`Its process ended with ${signal ?? code}.`));
  const onLimit = () => {
    const started = descendantsOf(child.pid ?? 0);
    child.kill('SIGKILL');
    for (const pid of started) kill(pid);
    resolve(failed('It did not end within the time that a file may take.'));
  };
  limit.addEventListener('abort', onLimit);
  child.on('message', onMessage);
  child.once('exit', onExit);
  child.send({ file } satisfies Order);
  return promise.finally(() => {
    limit.removeEventListener('abort', onLimit);
    child.off('message', onMessage);
    child.off('exit', onExit);
  });
}

/** Every living descendant of this process. */
function descendantsOf(root: number): number[] {
  const parents = new Map<number, number[]>();
  for (const [pid, parent] of processes()) parents.set(parent, [...(parents.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (let level = parents.get(root) ?? []; level.length > 0; level = level.flatMap(pid => parents.get(pid) ?? [])) {
    found.push(...level);
  }
  return found;
}

/** Each process with its parent, where the system reports them. */
function processes(): [pid: number, parent: number][] {
  try {
    return readdirSync('/proc').flatMap((name): [number, number][] => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        return [[Number(name), Number(fields[1])]];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
