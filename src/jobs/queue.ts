// The job queue, in the same database: a job exists exactly when the transaction that enqueues it has committed.
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { Tracing } from '../lib/tracing.ts';
import type { Database, Sql } from '../storage/database.ts';
import { asBossDb, COUNT_SECONDS, openBoss, openQueues, QUEUE_SCHEMA } from './boss.ts';
import type { JobHandler, JobKind, SavedJob } from './job.ts';
import { runDueJobs } from './run-due.ts';
import { takeOverJobs } from './take-over.ts';
import { withTrace } from './trace.ts';
import { startWorker, type Worker } from './worker.ts';

export type Queue = {
  /** Inserts jobs in the caller's transaction. After its commit the worker of this process is woken. */
  enqueue<Payload extends object>(
    tx: Sql,
    kind: JobKind<Payload>,
    payloads: readonly Payload[],
    options?: { readonly startAfterSeconds?: number },
  ): Promise<void>;
  /** Starts a worker for each handler; they run until `stop`. */
  work(handlers: readonly JobHandler[]): void;
  /**
   * Runs every waiting job once, also those that wait for a retry, and waits for the jobs that workers are running, except
   * newer ones.
   */
  runDue(handlers: readonly JobHandler[], except?: NewerJobs): Promise<number>;
  /** Inserts jobs of a backup in the caller's transaction. Skips those of queues that this version does not have. */
  restore(tx: Sql, jobs: readonly SavedJob[]): Promise<void>;
  /** The number of waiting, running and failed jobs of each queue, as pg-boss last counted them, and the age of the oldest. */
  depths(): Promise<QueueDepth[]>;
  stop(): Promise<void>;
};

/** The jobs of a queue that were enqueued after a moment, by the database's clock. */
export type NewerJobs = { readonly name: string; readonly than: Date };

export type QueueDepth = {
  readonly name: string;
  readonly ready: number;
  readonly deferred: number;
  readonly active: number;
  readonly failed: number;
  /** How long the longest due job has been waiting for a worker; 0 when no job waits. */
  readonly oldestReadySeconds: number;
};

type QueueDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  readonly tracing?: Tracing | undefined;
  /** Every kind that is enqueued or handled. */
  readonly kinds: readonly JobKind<object>[];
  /** Runs before the jobs of a fetch. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

const TAKE_OVER_EVERY_MS = 5_000;
const STOP_LIMIT_MS = 10_000;

export async function startQueue(deps: QueueDeps): Promise<Queue> {
  const { db, log, heartbeats, tracing, kinds, beforeWork } = deps;
  const boss = await openBoss({ db, log });
  const names = kinds.map(({ name }) => name);
  await openQueues(boss, names);
  const workers = new Map<string, Worker>();
  const ownJobs = () => [...workers.values()].flatMap(worker => worker.running());
  let isAnswered = true;
  const loops = [
    startLoop({
      name: 'taking over jobs of crashed nodes',
      task: async () => {
        // After an outage the workers of other nodes need a moment to send heartbeats again.
        const wasAnswered = isAnswered;
        isAnswered = false;
        await db.query('select');
        if (wasAnswered) await takeOverJobs({ boss, db, log, ownJobs }, names, name => workers.get(name)?.wake());
        isAnswered = true;
      },
      pauseMs: TAKE_OVER_EVERY_MS,
      heartbeats,
      log,
    }),
    startLoop({
      name: 'maintaining the job queue',
      // Counts jobs, fails those that run for far too long, and keeps the indexes small; on one node at a time.
      task: () => boss.supervise(),
      pauseMs: COUNT_SECONDS * 1_000,
      heartbeats,
      log,
    }),
  ];

  return {
    enqueue: async (tx, { name }, payloads, { startAfterSeconds } = {}) => {
      if (payloads.length === 0) return;
      const when = startAfterSeconds === undefined ? {} : { startAfter: startAfterSeconds };
      await boss.insert(
        name,
        payloads.map(payload => ({ data: withTrace(payload), ...when })),
        { db: asBossDb(tx) },
      );
      if (startAfterSeconds === undefined) tx.notify?.(channelOf(name));
    },

    work: handlers => {
      for (const handler of handlers) {
        const worker = startWorker({ boss, db, log, heartbeats, tracing, beforeWork }, handler);
        workers.set(handler.name, worker);
        db.listen(channelOf(handler.name), () => worker.wake());
      }
    },

    runDue: (handlers, except) => {
      const isIdle = () => hasNoJobs(db, names, except);
      const waiting = () => waitingQueues(db, names);
      return runDueJobs({ boss, db, log, tracing, beforeWork, isIdle, waitingQueues: waiting }, handlers);
    },

    restore: async (tx, jobs) => {
      const byName = Map.groupBy(jobs, job => job.name);
      for (const name of names) {
        const saved = (byName.get(name) ?? []).map(({ id, data, startAfter }) => ({ id, data, startAfter }));
        if (saved.length > 0) await boss.insert(name, saved, { db: asBossDb(tx) });
      }
    },

    depths: async () => {
      const [queues, ages] = await Promise.all([boss.getQueues(names), readAges(db, names)]);
      return queues.map(({ name, readyCount, deferredCount, activeCount, failedCount }) => ({
        name,
        ready: readyCount,
        deferred: deferredCount,
        active: activeCount,
        failed: failedCount,
        oldestReadySeconds: ages.get(name) ?? 0,
      }));
    },

    stop: async () => {
      await Promise.all([...workers.values(), ...loops].map(each => each.stop()));
      await boss.stop({ graceful: true, timeout: STOP_LIMIT_MS });
    },
  };
}

/**
 * True when no job runs on any node or waits for its first attempt, in the snapshot of `sql`, except newer ones. The
 * counts of pg-boss are refreshed only from time to time; this reads the current state.
 */
export async function hasNoJobs(sql: Sql, names: readonly string[], except?: NewerJobs): Promise<boolean> {
  const [row] = await sql.query<{ is_empty: boolean }>(
    // `state < 'active' and not blocked` is the predicate of an index; `created` narrows it to jobs never attempted.
    `select not exists (select from ${QUEUE_SCHEMA}.job
                         where name = any($1) and state < 'active' and not blocked and state = 'created'
                           and (name <> $2 or created_on <= $3))
        and not exists (select from ${QUEUE_SCHEMA}.job
                         where name = any($1) and state = 'active'
                           and (name <> $2 or created_on <= $3)) as is_empty`,
    [names, except?.name ?? '', except?.than ?? new Date(0)],
  );
  return row!.is_empty;
}

/** The queues in which a job waits for an attempt, the first or another. */
async function waitingQueues(sql: Sql, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ name: string }>(
    `select queue.name from unnest($1::text[]) as queue (name)
      where exists (select from ${QUEUE_SCHEMA}.job j where j.name = queue.name and j.state < 'active' and not j.blocked)`,
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}

/** Jobs of a queue examined to find the oldest one, in the order in which they are fetched. */
const AGE_LIMIT = 1_000;

/**
 * The library has no call for the age of a queue. This reads the front of the index that its own fetch uses (`job_i11`), and
 * no further: 0.8 ms with 100 000 jobs waiting.
 */
async function readAges(sql: Sql, names: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ name: string; seconds: string }>(
    `select q.name, extract(epoch from now() - age.since) as seconds
       from unnest($1::text[]) q (name)
      cross join lateral (
        select min(start_after) as since
          from (select start_after from ${QUEUE_SCHEMA}.job
                 where name = q.name and state < 'active' and not blocked
                 order by priority desc, created_on limit ${AGE_LIMIT}) front
         where start_after <= now()
      ) age
      where age.since is not null`,
    [names],
  );
  return new Map(rows.map(({ name, seconds }) => [name, Number(seconds)]));
}

function channelOf(queue: string): string {
  return `jobs of ${queue}`;
}
