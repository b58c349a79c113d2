// Migrations: numbered SQL files, forward only, applied once, safe when several nodes start at the same time.
import { backOff } from '../lib/backoff.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type TableLock, watchWaits } from './awaited-lock.ts';
import type { Database, Sql } from './database.ts';
import { isDeadlock, isLockTimeout } from './faults.ts';
import { pendingSteps } from './migration-steps.ts';
import { appliedMigrations, createMigrationTable, type Migration, readMigrations } from './migrations.ts';
import { describeTransaction, LOCK_WAIT_MS, MAX_LOCK_WAIT_MS, readOpenTransactions } from './open-transactions.ts';
import type { Step } from './upgrade.ts';

const PAUSE_MS = 500;
/** Far longer than the longest wait for a lock, so that during a backup callers wait behind a migration only a small part of the time. */
const MAX_PAUSE_MS = 10 * MAX_LOCK_WAIT_MS;
const ADVICE_FROM_ATTEMPT = 5;

/**
 * Applies missing migrations. Refuses a database with a migration that this version does not have, or has with other text. While others,
 * such as a backup, hold a lock that it needs, it gives up and retries. Callers cannot block it for ever: each time it waits longer, and
 * begins with the table that it could not lock, since a holder of that table may wait for another that the migration would have by then.
 */
export async function migrate({ db, log }: { db: Database; log: Log }): Promise<void> {
  const migrations = await readMigrations();
  await createMigrationTable(db);
  let first: readonly TableLock[] = [];
  for (let attempt = 1; ; attempt++) {
    const lockWaitMs = Math.min(MAX_LOCK_WAIT_MS, LOCK_WAIT_MS * 2 ** (attempt - 1));
    let awaited: TableLock | undefined;
    const onWait = (lock: TableLock) => {
      awaited = lock;
    };
    try {
      return await migrateOnce(db, { migrations, log, lockWaitMs, first, onWait });
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock((error as Error).cause)) throw error;
      const open = await readOpenTransactions(db);
      const names = open.map(describeTransaction).join(', ') || 'not visible to this role';
      const advice = attempt < ADVICE_FROM_ATTEMPT ? '' : '; lower the load, or stop the nodes of the previous version';
      log.warn('a migration did not get a lock in time, changed nothing and is retried', {
        attempt,
        durationMs: lockWaitMs,
        reason: `open transactions: ${names}${advice}`,
      });
      const lock = awaited;
      if (lock) first = [lock, ...first.filter(({ table }) => table !== lock.table)];
      await backOff(attempt, PAUSE_MS, MAX_PAUSE_MS);
    }
  }
}

type Attempt = {
  readonly migrations: readonly Migration[];
  readonly log: Log;
  readonly lockWaitMs: number;
  /** Tables to lock before the first migration, in this order. */
  readonly first: readonly TableLock[];
  /** Called with each lock that it is seen to wait for. */
  readonly onWait: (lock: TableLock) => void;
};

async function migrateOnce(db: Database, { migrations, log, lockWaitMs, first, onWait }: Attempt): Promise<void> {
  // Logged after the commit, since the transaction may be retried.
  let said: Parameters<Log['info']>[] = [];
  await db.transaction(
    async tx => {
      said = [];
      // No limit: the duration of a migration depends on the amount of data.
      await tx.query('set local statement_timeout = 0; set local lock_timeout = 0');
      // The node with this lock applies the migrations; the others wait here, where they block no caller, and then find nothing to do.
      await tx.query('lock table schema_migrations in exclusive mode');
      await tx.query(`set local lock_timeout = ${lockWaitMs}`);
      // Another node may have done it meanwhile.
      const isPending = (await pendingSteps(await appliedMigrations(tx), migrations)).length > 0;
      await watchWaits({ tx, probe: db.probe, onWait }, async () => {
        if (isPending) for (const { table, mode } of first) await tx.query(`lock table ${table} in ${mode} mode`);
        await applyMigrations(tx, migrations, { info: (...line) => said.push(line) });
      });
    },
    { isLong: true, lockTimeoutMs: lockWaitMs },
  );
  for (const line of said) log.info(...line);
}

/** Applies those of `migrations` that are missing, in the caller's transaction. */
export async function applyMigrations(
  tx: Sql,
  migrations: readonly Migration[],
  log: Pick<Log, 'info'>,
): Promise<void> {
  await createMigrationTable(tx);
  for (const { name, sql, records, replacesRecords } of await pendingSteps(await appliedMigrations(tx), migrations)) {
    if (replacesRecords) await tx.query('delete from schema_migrations');
    await tx.query(sql);
    await tx.query('insert into schema_migrations (name, sha256) select * from unnest($1::text[], $2::text[])', [
      records.map(migration => migration.name),
      records.map(migration => migration.sha256),
    ]);
    log.info('migration applied', { migration: name });
  }
}

/** What `migrate` would run, in order. Refuses a database that it would refuse. */
export async function missingMigrations(db: Sql): Promise<readonly Step[]> {
  const [migrations, applied] = await Promise.all([readMigrations(), appliedMigrations(db)]);
  return pendingSteps(applied, migrations);
}

/** True when every migration of this version is in place. */
export async function isMigrated(db: Sql): Promise<boolean> {
  const [migrations, applied] = await Promise.all([readMigrations(), appliedMigrations(db)]);
  return migrations.every(({ name }) => applied.has(name));
}

/** Refuses a database whose schema is not that of this version. */
export async function requireMigrated(db: Sql): Promise<void> {
  const { length } = await missingMigrations(db);
  if (length === 0) return;
  throw new StartError(
    `This database lacks ${length} ${length === 1 ? 'migration' : 'migrations'} of this version: start the service of this version, or run trilho migrate where DATABASE_URL is set. trilho migrate --plan lists them.`,
  );
}
