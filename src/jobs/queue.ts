// The job queue, in the same database: a job exists exactly when the transaction that enqueues it has committed.
import { type Db, PgBoss } from 'pg-boss';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import type { Tracing } from '../lib/tracing.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { JobHandler, JobKind, SavedJob } from './job.ts';
import { runDueJobs } from './run-due.ts';
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
  /** Inserts jobs of a backup in the caller's transaction. Those of a queue that this version does not have are left out. */
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
  /** How long the job that has been due longest waits for a worker; 0 when none waits. */
  readonly oldestReadySeconds: number;
};

export type QueueDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  readonly tracing?: Tracing | undefined;
  /** Every kind that is enqueued or handled. */
  readonly kinds: readonly JobKind<object>[];
  /** Runs before the jobs of a fetch. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
  /** How long jobs are kept after they are done, 0 for ever; absent, as long as the queue says already. */
  readonly keepDoneSeconds?: number | undefined;
};

export const QUEUE_SCHEMA = 'pgboss';
/** A job expires this long after its last heartbeat, and another worker takes it. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
/** A job about money must not be dropped after many retries, nor after a long downtime. */
const MAX_RETRIES = 100_000;
const KEEP_WAITING_SECONDS = 10 * 365 * 86_400;
const RETRY_CAP_SECONDS = 300;
const KEEP_DONE_SECONDS = 7 * 86_400;
const STOP_LIMIT_MS = 10_000;

export async function startQueue(deps: QueueDeps): Promise<Queue> {
  const { db, log, heartbeats, tracing, kinds, beforeWork, keepDoneSeconds } = deps;
  const boss = new PgBoss({
    db: asBossDb(db),
    schema: QUEUE_SCHEMA,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', error => log.warn('the job queue reported an error; it tries again', { error: asError(error) }));
  await install(boss);
  const names = kinds.map(({ name }) => name);
  for (const name of names) {
    await boss.createQueue(name, {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: MAX_RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: RETRY_CAP_SECONDS,
      retentionSeconds: KEEP_WAITING_SECONDS,
      deleteAfterSeconds: keepDoneSeconds ?? KEEP_DONE_SECONDS,
    });
    await cacheQueue(boss, name);
  }
  if (keepDoneSeconds !== undefined) await keepDoneFor(boss, names, keepDoneSeconds);
  const workers: Worker[] = [];

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
        workers.push(worker);
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
      await Promise.all(workers.map(worker => worker.stop()));
      await boss.stop({ graceful: true, timeout: STOP_LIMIT_MS });
    },
  };
}

/**
 * True when no job runs on any node and none waits for its first attempt, in the snapshot of `sql`, except newer ones. The
 * counts of pg-boss are refreshed only from time to time; this reads the current state.
 */
export async function hasNoJobs(sql: Sql, names: readonly string[], except?: NewerJobs): Promise<boolean> {
  const [row] = await sql.query<{ none: boolean }>(
    // `state < 'active' and not blocked` is the predicate of an index; `created` narrows it to jobs never attempted.
    `select not exists (select from ${QUEUE_SCHEMA}.job
                         where name = any($1) and state < 'active' and not blocked and state = 'created'
                           and (name <> $2 or created_on <= $3))
        and not exists (select from ${QUEUE_SCHEMA}.job
                         where name = any($1) and state = 'active'
                           and (name <> $2 or created_on <= $3)) as none`,
    [names, except?.name ?? '', except?.than ?? new Date(0)],
  );
  return row!.none;
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

/** Jobs of a queue that are looked at for the oldest one, in the order in which they are fetched. */
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

/**
 * Nodes that start at the same time on an empty database may all try to install the queue. pg-boss tolerates «already
 * exists», but the second node may get a duplicate key in the catalogue; then the first node has installed it.
 */
async function install(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error;
    await boss.start();
  }
}

/** pg-boss emits some errors as plain objects, for which the log would show nothing. */
function asError(error: Error): Error {
  return error instanceof Error ? error : Object.assign(new Error(), error);
}

/**
 * Makes pg-boss load the queue into its cache now. Otherwise it does so at the first job, on a second connection while the
 * transaction of the caller holds one; with many callers at once, all wait for a connection of the pool: a deadlock.
 */
async function cacheQueue(boss: PgBoss, name: string): Promise<void> {
  await boss.findJobs(name, { id: NO_JOB });
}

/** A queue keeps what it was made with. */
async function keepDoneFor(boss: PgBoss, names: string[], deleteAfterSeconds: number): Promise<void> {
  for (const queue of await boss.getQueues(names)) {
    if (queue.deleteAfterSeconds !== deleteAfterSeconds) await boss.updateQueue(queue.name, { deleteAfterSeconds });
  }
}

const NO_JOB = '00000000-0000-0000-0000-000000000000';

function asBossDb(sql: Sql): Db {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
