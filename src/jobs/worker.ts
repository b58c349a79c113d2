// A worker fetches jobs of one queue and runs them concurrently. Each job is completed on its own, so one that waits long
// for a bank or a chain node delays neither the others nor the next fetch.
import type { PgBoss } from 'pg-boss';
import { isOutageOfOthers } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log, LogFields } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import { batcher } from '../storage/batching/batcher.ts';
import type { JobHandler } from './job.ts';
import { type EndJob, type JobTraceDeps, traceJob } from './trace.ts';

/** A fetched job; `retryCount` distinguishes this attempt from a later one. */
export type TakenJob = { readonly id: string; readonly data: object; readonly retryCount: number };

export type Worker = {
  /** Fetches jobs now. */
  wake(): void;
  /** The ids of the jobs that it runs. */
  running(): string[];
  stop(): Promise<void>;
};

type Deps = JobTraceDeps & {
  readonly boss: PgBoss;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  /** Runs before the jobs of a fetch. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

/** Jobs that one worker runs at the same time. */
const MAX_RUNNING = 200;
const FETCH_SIZE = 50;
/** New jobs of this process wake the worker; those of other nodes, and late retries, wait at most this long. */
const POLL_MS = 5_000;
/** A job stays alive even if two heartbeats in a row are lost. */
const HEARTBEAT_EVERY_MS = 3_000;
const STOP_LIMIT_MS = 10_000;

export function startWorker(deps: Deps, handler: JobHandler): Worker {
  const { boss, log, heartbeats, beforeWork } = deps;
  const { name } = handler;
  const running = new Map<TakenJob, Promise<void>>();
  const settle = settlements(boss, name);

  function start(job: TakenJob): void {
    const run = runJob(deps, handler, job)
      .then(async isDone => {
        await settle(job, isDone);
        if (!isDone) wakeForRetry(job);
      })
      .catch(error => log.warn('the result of a job was not saved; it runs again', { ...fieldsOf(name, job), error }))
      .finally(() => {
        running.delete(job);
        if (running.size === MAX_RUNNING - 1) loop.wake();
      });
    running.set(job, run);
  }

  /** pg-boss waits for a retry at random between half of this time and all of it. */
  function wakeForRetry({ retryCount }: TakenJob): void {
    const dueAfterMs = 1_000 * 2 ** (retryCount + 1);
    if (dueAfterMs < POLL_MS) setTimeout(loop.wake, dueAfterMs).unref();
  }

  async function take(): Promise<void> {
    const batchSize = Math.min(FETCH_SIZE, MAX_RUNNING - running.size);
    if (batchSize === 0) return;
    const jobs = await boss.fetch<object>(name, { batchSize });
    if (jobs.length === 0) return;
    await beforeWork?.();
    for (const job of jobs) start(job);
    // A full batch: there may be more jobs.
    if (jobs.length === batchSize) loop.wake();
  }

  const loop = startLoop({
    name: `fetching jobs of ${name}`,
    task: take,
    pauseMs: POLL_MS,
    heartbeats,
    log,
  });
  const heartbeat = startLoop({
    name: `sending heartbeats for jobs of ${name}`,
    task: async () => {
      if (running.size > 0) await boss.touch(name, [...running.keys()]);
    },
    pauseMs: HEARTBEAT_EVERY_MS,
    heartbeats,
    log,
  });

  return {
    wake: () => loop.wake(),
    running: () => [...running.keys()].map(({ id }) => id),
    stop: async () => {
      await loop.stop();
      const limit = new Promise<void>(resolve => setTimeout(resolve, STOP_LIMIT_MS).unref());
      // A job still running then is taken over by another worker when its heartbeat expires.
      await Promise.race([Promise.all(running.values()), limit]);
      await heartbeat.stop();
    },
  };
}

/** Runs one job. True when it is done, false when it must run again later. */
export function runJob(deps: JobTraceDeps & Pick<Deps, 'log'>, handler: JobHandler, job: TakenJob): Promise<boolean> {
  return traceJob(deps, handler, job, end => tryJob(deps, handler, job, end));
}

async function tryJob({ log }: Pick<Deps, 'log'>, handler: JobHandler, job: TakenJob, end: EndJob): Promise<boolean> {
  const fields = fieldsOf(handler.name, job);
  try {
    const outcome = await handler.run(job.data);
    end(outcome);
    if (outcome === 'postponed') log.debug('job waits for an external answer; it runs again later', fields);
    return outcome === 'done';
  } catch (error) {
    end('failed', error);
    if (isOutageOfOthers(error)) {
      log.info('job waits for a rail or a chain that does not answer; it runs again later', { ...fields, error });
    } else {
      log.warn('job failed; it runs again later', { ...fields, error });
    }
    return false;
  }
}

const ID_NAMES: readonly string[] = ['chargeId', 'orderId', 'payoutId', 'refundId'] satisfies (keyof LogFields)[];

/** The log fields of a job: its queue, its attempt and the ids of its payload, also where that is a list of one. */
function fieldsOf(name: string, { data, retryCount }: TakenJob): LogFields {
  const lists: object[][] = Object.values(data).filter(Array.isArray);
  const [first, ...more] = lists.flat();
  const ids = { ...data, ...(more.length === 0 && first) };
  return {
    job: name,
    attempt: retryCount + 1,
    ...Object.fromEntries(Object.entries(ids).filter(([key]) => ID_NAMES.includes(key))),
    ...(more.length > 0 && { count: more.length + 1 }),
  };
}

const SETTLE_LIMITS = { maxSize: 500, maxRunning: 1, maxWaiting: 100_000 } as const;

/** Jobs that end at the same time are completed by one statement. */
function settlements(boss: PgBoss, name: string): (job: TakenJob, isDone: boolean) => Promise<void> {
  const settleAll = (end: 'complete' | 'fail') =>
    batcher<TakenJob, void>(async jobs => {
      await boss[end](name, [...jobs]);
      return jobs.map(() => undefined);
    }, SETTLE_LIMITS);
  const [completed, failed] = [settleAll('complete'), settleAll('fail')];
  return (job, isDone) => (isDone ? completed : failed).add(job);
}
