// Runs every waiting job once, also those that wait for a retry. For tests, and for moves of the sandbox clock.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import type { JobHandler } from './job.ts';
import type { JobTraceDeps } from './trace.ts';
import { runJob, type TakenJob } from './worker.ts';

type Deps = JobTraceDeps & {
  readonly boss: PgBoss;
  readonly log: Log;
  readonly beforeWork?: (() => Promise<void>) | undefined;
  /** True when no job that matters runs on any node or waits for its first attempt. */
  readonly isIdle: () => Promise<boolean>;
  /** The queues in which a job waits: one query costs less than fetching from each. */
  readonly waitingQueues: () => Promise<ReadonlySet<string>>;
};

/** Small enough that a batch ends before its heartbeat expires. */
const BATCH_SIZE = 200;
const POLL_MS = 20;
const MAX_ROUNDS = 100_000;

/** Returns how many jobs ran. */
export async function runDueJobs(deps: Deps, handlers: readonly JobHandler[]): Promise<number> {
  const seen = new Set<string>();
  let ran = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = ran;
    const returns: (() => Promise<void>)[] = [];
    const waiting = await deps.waitingQueues();
    for (const handler of handlers) {
      if (waiting.has(handler.name)) ran += await runAll(deps, handler, seen, returns);
    }
    for (const returnJobs of returns) await returnJobs();
    if (await deps.isIdle()) return ran;
    // A worker may be running the rest: wait for those jobs and for the jobs that they enqueue.
    if (ran === before) await wait(POLL_MS);
  }
  assert.fail(`jobs did not finish within ${MAX_ROUNDS} rounds`);
}

/**
 * Runs the jobs of one queue in batches, until a batch is not full: callers may enqueue more all the time. An unfinished job
 * goes back only after the last batch, so that each fetch gets new jobs.
 */
async function runAll(
  deps: Deps,
  handler: JobHandler,
  seen: Set<string>,
  returns: (() => Promise<void>)[],
): Promise<number> {
  const { boss, beforeWork } = deps;
  let ran = 0;
  for (;;) {
    const jobs: TakenJob[] = await boss.fetch<object>(handler.name, { batchSize: BATCH_SIZE, ignoreStartAfter: true });
    const fresh = jobs.filter(({ id }) => !seen.has(id));
    if (fresh.length > 0) await beforeWork?.();
    const results = await Promise.all(fresh.map(async job => ({ job, isDone: await runJob(deps, handler, job) })));
    for (const { id } of fresh) seen.add(id);
    const done = results.filter(({ isDone }) => isDone).map(({ job }) => job);
    if (done.length > 0) await boss.complete(handler.name, done);
    const rest = jobs.filter(job => !done.includes(job));
    if (rest.length > 0) returns.push(async () => void (await boss.fail(handler.name, rest)));
    ran += fresh.length;
    if (jobs.length < BATCH_SIZE) return ran;
  }
}
