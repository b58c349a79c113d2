// How pg-boss is used: its settings, its queues, and two added indexes on its table of jobs.
import { type Db, PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import type { Database, Sql } from '../storage/database.ts';
import { isLockTimeout } from '../storage/faults.ts';
import { LOCK_WAIT_MS } from '../storage/open-transactions.ts';

export const QUEUE_SCHEMA = 'pgboss';
/** Counting jobs reads the whole table of jobs. */
export const COUNT_SECONDS = 30;

/** Jobs of a worker that died are taken over much sooner (`take-over.ts`); this applies if that does not run. */
const HEARTBEAT_SECONDS = 60;
/** A job about money must not be dropped after many retries, nor after a long downtime. */
const MAX_RETRIES = 100_000;
const KEEP_WAITING_SECONDS = 10 * 365 * 86_400;
const RETRY_CAP_SECONDS = 300;
/** pg-boss would remove finished jobs in one statement a day, which fails when there are many: `prune-jobs.ts` does it in steps. */
const NEVER_DELETED = 0;

/** Off, since the timer of pg-boss uses the wall clock and has no heartbeat: a loop calls `supervise`. */
export async function openBoss({ db, log }: { readonly db: Database; readonly log: Log }): Promise<PgBoss> {
  const boss = new PgBoss({
    db: asBossDb(db),
    schema: QUEUE_SCHEMA,
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: COUNT_SECONDS,
  });
  boss.on('error', error => log.warn('the job queue reported an error; it retries', { error: asError(error) }));
  await install(boss);
  await createIndexes({ db, log });
  return boss;
}

/** A start with nothing new costs one statement: pg-boss has the existing queues in its cache. */
export async function openQueues(boss: PgBoss, names: string[]): Promise<void> {
  const known = new Set((await boss.getQueues(names)).map(({ name }) => name));
  for (const name of names) {
    if (known.has(name)) continue;
    await boss.createQueue(name, {
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retryLimit: MAX_RETRIES,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: RETRY_CAP_SECONDS,
      retentionSeconds: KEEP_WAITING_SECONDS,
      deleteAfterSeconds: NEVER_DELETED,
    });
    await cacheQueue(boss, name);
  }
  await updateQueues(boss, names);
}

export function asBossDb(sql: Sql): Db {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
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

/** Without them, finding the few jobs that run, or those that ended long ago, reads the whole table. */
const QUEUE_INDEXES = [
  { name: 'trilho_job_active', on: `(name) where state = 'active'` },
  { name: 'trilho_job_done', on: '(completed_on) where completed_on is not null' },
] as const;

async function createIndexes({ db, log }: { readonly db: Database; readonly log: Log }): Promise<void> {
  for (const { name, on } of QUEUE_INDEXES) {
    const [found] = await db.query<{ name: string | null }>('select to_regclass($1)::text as name', [
      `${QUEUE_SCHEMA}.${name}`,
    ]);
    if (found?.name) continue;
    try {
      await db.transaction(
        async tx => {
          await tx.query('set local statement_timeout = 0');
          await tx.query(`create index if not exists ${name} on ${QUEUE_SCHEMA}.job ${on}`);
        },
        { isLong: true, lockTimeoutMs: LOCK_WAIT_MS },
      );
    } catch (error) {
      // Another node has created it meanwhile.
      if (['23505', '42P07'].includes((error as { code?: string }).code ?? '')) continue;
      if (!isLockTimeout(error)) throw error;
      log.info('an index of the job queue was not created, since its table is in use; the next start retries');
    }
  }
}

/**
 * Makes pg-boss load the queue into its cache now. Otherwise it does so at the first job, on a second connection while the
 * transaction of the caller holds one; with many callers at once, all wait for a connection of the pool: a deadlock.
 */
async function cacheQueue(boss: PgBoss, name: string): Promise<void> {
  await boss.findJobs(name, { id: NO_JOB });
}

const NO_JOB = '00000000-0000-0000-0000-000000000000';

/** A queue keeps the options it was created with, perhaps by an earlier version. */
async function updateQueues(boss: PgBoss, names: string[]): Promise<void> {
  for (const { name, heartbeatSeconds, deleteAfterSeconds } of await boss.getQueues(names)) {
    if (heartbeatSeconds === HEARTBEAT_SECONDS && deleteAfterSeconds === NEVER_DELETED) continue;
    await boss.updateQueue(name, { heartbeatSeconds: HEARTBEAT_SECONDS, deleteAfterSeconds: NEVER_DELETED });
  }
}
