// What happens later: a queue on the same database, so that a job exists exactly when the change that asks for it does.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Db, type JobResult, PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import { sideBySide } from '../lib/side-by-side.ts';
import { type Database, run, type Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';
import { type Bundle, bundled, type Piece, piecesOf } from './bundle.ts';

/** Every kind of work and what it is told. A payload holds ids only: the truth is read when it is done. */
export type Jobs = {
  'charge.issue': MethodOfCharge;
  'charge.retire': MethodOfCharge;
  'charge.reconcile': { readonly accountId: string; readonly chargeId: string };
  'charge.refund': { readonly accountId: string; readonly chargeId: string; readonly refundId: string };
  'transaction.follow': OneTransaction;
  'transaction.fulfill': OneTransaction;
};
type MethodOfCharge = { readonly accountId: string; readonly chargeId: string; readonly method: string };
type OneTransaction = { readonly accountId: string; readonly transactionId: string };
export type JobName = keyof Jobs;

/** Work is done when its handler returns, and tried again, later and later, when it throws. */
export type Handler<N extends JobName> = (payload: Jobs[N]) => Promise<void>;
export type Handlers = { readonly [N in JobName]: Handler<N> };

export type Queue = {
  /** Puts work into the caller's own transaction. */
  enqueue<N extends JobName>(tx: Sql, name: N, payloads: readonly Jobs[N][]): Promise<void>;
  /** The statement that does so. */
  insertion<N extends JobName>(name: N, payloads: readonly Jobs[N][]): Promise<Statement>;
  /** Says that jobs were committed, so that a worker here need not wait for its next look. Only a hint. */
  nudge(name: JobName): void;
  /** Starts working off jobs, and goes on until `stop`. */
  work(handlers: Handlers): Promise<void>;
  /**
   * Works off all there is, what waits for another try too, each once, and waits for what a worker has in hand; returns how
   * many it ran.
   */
  runDue(handlers: Handlers): Promise<number>;
  /** True when no job runs, on any node, and none waits for its first try. */
  isIdle(sql: Sql): Promise<boolean>;
  /** What waits, is being done or was given up; what is done is not counted. */
  counts(): Promise<JobCount[]>;
  stop(): Promise<void>;
};

export type JobCount = { readonly name: string; readonly state: string; readonly count: number };

const NAMES: readonly JobName[] = [
  'charge.issue',
  'charge.retire',
  'charge.reconcile',
  'charge.refund',
  'transaction.follow',
  'transaction.fulfill',
];
const SCHEMA = 'pgboss';
/** Jobs taken at a time; more of those that share their statements and leave the connections to others. */
const BATCH_SIZE = 20;
const SHARING_BATCH_SIZES: Partial<Record<JobName, number>> = { 'charge.issue': 50 };
/** How much one job holds at most, where much comes at once; else one thing. */
const BUNDLE_SIZES: Partial<Record<JobName, number>> = { 'charge.issue': 100 };
/** When everything is to be done at once, larger bites mean fewer words with the database; but each must end within a heartbeat. */
const RUN_DUE_BATCH_SIZE = 200;
/** What one worker does at the same time: the more, the more is done by one statement. */
export const MAX_AT_ONCE = 600;
const POLL_SECONDS = 0.5;
/** A worker that stops saying so within this time is dead, and its jobs go to another. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 5;
/** A job about money is not dropped for being tried often, nor for waiting while a service stood still. */
const MAX_RETRIES = 100_000;
const KEEP_WAITING_SECONDS = 10 * 365 * 86_400;
const RETRY_CAP_SECONDS = 300;
const KEEP_DONE_SECONDS = 7 * 86_400;
const LOOK_AGAIN_MS = 20;
const STOP_LIMIT_MS = 10_000;
const MAX_RUN_DUE_ROUNDS = 100_000;

export async function startQueue({ db, log }: { db: Database; log: Log }): Promise<Queue> {
  const boss = new PgBoss({
    db: asBossDb(db),
    schema: SCHEMA,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
  });
  boss.on('error', told => log.warn('the job queue met an error', { error: errorOf(told) }));
  await install(boss);
  for (const name of NAMES) {
    await boss.createQueue(name, {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: MAX_RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: RETRY_CAP_SECONDS,
      retentionSeconds: KEEP_WAITING_SECONDS,
      deleteAfterSeconds: KEEP_DONE_SECONDS,
    });
    await rememberQueue(boss, name);
  }
  const workers = new Map<JobName, string>();
  let isStopping = false;

  /** Does the work of jobs side by side, each piece alone in failing. */
  async function runBatch<N extends JobName>(
    name: N,
    handler: Handler<N>,
    batch: readonly BossJob<N>[],
  ): Promise<BatchResult> {
    const pieces = batch.flatMap(piecesOf);
    const failed: Piece<Jobs[N]>[] = [];
    const unbegun: Piece<Jobs[N]>[] = [];
    await sideBySide(pieces, MAX_AT_ONCE, async piece => {
      if (isStopping) {
        unbegun.push(piece);
        return;
      }
      try {
        await handler(piece.payload);
      } catch (error) {
        log.warn('a job failed and will be tried again', { job: name, error });
        failed.push(piece);
      }
    });
    // What failed of many is tried again for itself, and what was not begun is left for another: the others are done.
    const parted = [
      ...bundled(payloadsOfMany(failed), 1),
      ...bundled(payloadsOfMany(unbegun), BUNDLE_SIZES[name] ?? 1),
    ];
    if (parted.length > 0) await boss.insert(name, parted);
    const again = new Set([...failed, ...unbegun].filter(({ isAlone }) => isAlone).map(({ jobId }) => jobId));
    return {
      count: pieces.length,
      results: batch.map(({ id }) => ({ id, status: again.has(id) ? 'failed' : 'completed' })),
      parted: parted.map(({ id }) => id),
    };
  }

  async function insertion<N extends JobName>(name: N, payloads: readonly Jobs[N][]): Promise<Statement> {
    let said: Statement | undefined;
    const db: Db = {
      executeSql: async (text, values = []) => {
        said = { name: `enqueue_${name}`, text, values };
        return { rows: [] };
      },
    };
    await boss.insert(name, bundled(payloads, BUNDLE_SIZES[name] ?? 1), { db });
    assert(said, 'the queue has said what to insert');
    return said;
  }

  function startWorker<N extends JobName>(name: N, handler: Handler<N>): Promise<string> {
    const options = {
      batchSize: SHARING_BATCH_SIZES[name] ?? BATCH_SIZE,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: POLL_SECONDS,
      perJobResults: true,
    } as const;
    return boss.work<Bundle<Jobs[N]>>(
      name,
      options,
      async (batch: readonly BossJob<N>[]) => (await runBatch(name, handler, batch)).results,
    );
  }

  async function isIdle(sql: Sql): Promise<boolean> {
    const [row] = await sql.query<{ idle: boolean }>(
      // The first condition is that of an index; a job that was never tried is a part of it.
      `select not exists (select from ${SCHEMA}.job
                           where name = any($1) and state < 'active' and not blocked and state = 'created')
          and not exists (select from ${SCHEMA}.job where name = any($1) and state = 'active') as idle`,
      [NAMES],
    );
    return row!.idle;
  }

  /**
   * Runs a batch of jobs, those that wait for another try too. What failed, and what was run before, is held until
   * `putBack`, so that the next batch brings others. Returns how many were run.
   */
  async function runDueBatch<N extends JobName>(
    name: N,
    handlers: Handlers,
    seen: Set<string>,
    held: Held,
  ): Promise<number> {
    const batchSize = BUNDLE_SIZES[name] === undefined ? RUN_DUE_BATCH_SIZE : BATCH_SIZE;
    const batch = await boss.fetch<Bundle<Jobs[N]>>(name, { batchSize, ignoreStartAfter: true });
    const fresh = batch.filter(job => !seen.has(job.id));
    const { count, results, parted } = await runBatch(name, handlers[name] as unknown as Handler<N>, fresh);
    for (const id of [...fresh.map(job => job.id), ...parted]) seen.add(id);
    const done = new Set(results.filter(({ status }) => status === 'completed').map(({ id }) => id));
    if (done.size > 0) await boss.complete(name, [...done]);
    for (const { id } of batch) if (!done.has(id)) held.push({ name, id });
    return count;
  }

  async function putBack(held: Held): Promise<void> {
    for (const [name, jobs] of Map.groupBy(held.splice(0), job => job.name)) {
      await boss.fail(
        name,
        jobs.map(({ id }) => id),
      );
    }
  }

  return {
    enqueue: async (tx, name, payloads) => {
      await run(tx, await insertion(name, payloads));
    },

    insertion,

    nudge: name => {
      const worker = workers.get(name);
      if (worker !== undefined) boss.notifyWorker(worker);
    },

    work: async handlers => {
      for (const name of NAMES) workers.set(name, await startWorker(name, handlers[name] as Handler<JobName>));
    },

    runDue: async handlers => {
      const seen = new Set<string>();
      const held: Held = [];
      let done = 0;
      for (let round = 0; round < MAX_RUN_DUE_ROUNDS; round++) {
        let ran = 0;
        for (const name of NAMES) ran += await runDueBatch(name, handlers, seen, held);
        done += ran;
        if (ran > 0) continue;
        await putBack(held);
        // A worker may hold the rest: what it is doing, and what that makes, is part of what is to be done.
        if (await isIdle(db)) return done;
        await wait(LOOK_AGAIN_MS);
      }
      throw new Error('jobs keep making jobs');
    },

    isIdle,

    counts: async () => {
      const rows = await db.query<{ name: string; state: string; count: string }>(
        `select name, state::text as state, sum(coalesce(jsonb_array_length(data -> 'all'), 1)) as count from ${SCHEMA}.job
          where name = any($1) and state in ('created', 'retry', 'active', 'failed')
          group by name, state`,
        [NAMES],
      );
      return rows.map(row => ({ name: row.name, state: row.state, count: Number(row.count) }));
    },

    stop: () => {
      isStopping = true;
      return boss.stop({ graceful: true, timeout: STOP_LIMIT_MS });
    },
  };
}

/**
 * Nodes that start at the same moment on an empty database may all try to install the queue. pg-boss forgives «already
 * exists», but whoever waited for the first meets a duplicate key in the catalogue, and finds it installed on a second look.
 */
async function install(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
  } catch (error) {
    if ((error as { code?: string }).code !== '23505') throw error;
    await boss.start();
  }
}

/** The library hands some errors over as plain copies, of which the log could tell nothing. */
function errorOf(told: Error): Error {
  return told instanceof Error ? told : Object.assign(new Error(), told);
}

/**
 * Lets pg-boss look the queue up now. Otherwise it would do so at the first job, on a second connection while that job's
 * transaction holds one: enough of those at once, and each waits for a connection that only another could give back.
 */
async function rememberQueue(boss: PgBoss, name: JobName): Promise<void> {
  await boss.getJobById(name, NO_JOB);
}

const NO_JOB = '00000000-0000-0000-0000-000000000000';

/** Jobs that are taken and not done. */
type Held = { readonly name: JobName; readonly id: string }[];

type BossJob<N extends JobName> = { readonly id: string; readonly data: Bundle<Jobs[N]> | Jobs[N] };

function payloadsOfMany<T>(pieces: readonly Piece<T>[]): T[] {
  return pieces.filter(({ isAlone }) => !isAlone).map(({ payload }) => payload);
}

type BatchResult = {
  /** How much was done or failed. */
  readonly count: number;
  readonly results: JobResult[];
  /** The new jobs of what was not done. */
  readonly parted: readonly string[];
};

function asBossDb(sql: Sql): Db {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
