// trilho migrate: brings the schema of DATABASE_URL up to date and leaves; with --plan it only says what that would do.
import type { Config } from '../config/config.ts';
import { hasQueueIndexes, readQueueVersion } from '../jobs/queue-version.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { asStartFault } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { hasSchema } from '../storage/installation.ts';
import { migrate, readMigrations } from '../storage/migrate.ts';
import { type PlannedMigration, type PlannedTable, planMigrations } from '../storage/migration-plan.ts';
import {
  LOCK_WAIT_MS,
  MAX_LOCK_WAIT_MS,
  type OpenTransaction,
  readOpenTransactions,
  wordsOfTransaction,
} from '../storage/open-transactions.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { openDatabaseOf, type Stops, stopAll } from './open-database.ts';
import { sayDatabase } from './say-database.ts';

export async function migrateCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { flags, faults } = readArguments(args, { flags: ['plan'] });
  refuseFaults('migrate', faults);
  const isPlan = flags.includes('plan');
  if (config.databaseUrl === undefined && !isPlan) {
    throw new StartError('trilho migrate needs DATABASE_URL; the embedded database is migrated at every start.');
  }
  sayDatabase(config);
  const stops: Stops = [];
  try {
    const db = await openDatabaseOf({ config, log }, stops);
    if (isPlan) await sayPlan(db);
    else {
      await migrate({ db, log });
      console.log('The schema is up to date.');
    }
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await stopAll(stops);
  }
  return 0;
}

/** What a plain disk reads and writes in a second while it builds tables and indexes; a guess, and named as one. */
const BYTES_A_SECOND = 50_000_000;

async function sayPlan(db: Database): Promise<void> {
  if (!(await hasSchema(db))) {
    const { length } = await readMigrations();
    console.log(
      `This database is new: ${length} migrations will make its tables, and there is nothing that they lock.`,
    );
    return;
  }
  const planned = await planMigrations(db);
  if (planned.length === 0) console.log('The schema is up to date.');
  else sayMigrations(planned, await readOpenTransactions(db));
  const queue = await readQueueVersion(db);
  const version = queue === undefined ? 'not installed yet' : `now version ${queue} of its tables`;
  const indexes =
    queue === undefined || (await hasQueueIndexes(db))
      ? ''
      : '; it also makes indexes on finished and running jobs, and enqueuing waits meanwhile';
  console.log(`The start of a service also brings the job queue up to date (pg-boss, ${version})${indexes}.`);
}

function sayMigrations(planned: readonly PlannedMigration[], open: readonly OpenTransaction[]): void {
  for (const { name, tables } of planned) {
    console.log(tables.length === 0 ? `${name}: only new tables, or nothing that blocks others` : `${name}:`);
    for (const table of tables) console.log(`  ${table.name}: ${wordsOf(table)}`);
  }
  const tables = planned.flatMap(migration => migration.tables);
  const seconds = Math.max(1, Math.ceil(tables.reduce((sum, table) => sum + secondsOf(table), 0)));
  const atLeast = tables.some(({ size }) => !size) ? 'at least' : 'about';
  console.log(
    `${planned.length === 1 ? '1 migration' : `${planned.length} migrations`}, in one transaction: a table stays locked until its end, ` +
      `${atLeast} ${seconds} s at 50 MB a second. Sizes have indexes in them and are of the last analyze.`,
  );
  console.log(
    `A lock that is not there within ${LOCK_WAIT_MS} ms ends the transaction, which then is tried again until it gets all of them, ` +
      `each time with a longer wait, up to ${MAX_LOCK_WAIT_MS / 1_000} s. Others wait behind it meanwhile: start when the load is low.`,
  );
  if (open.length === 0) return;
  console.log(`Open for longer than ${LOCK_WAIT_MS} ms: ${open.map(wordsOfTransaction).join(', ')}.`);
  console.log('The migrations wait until those that use one of these tables have ended.');
}

function wordsOf({ blocks, isRewritten, changesRows, scans, newIndexes, size }: PlannedTable): string {
  const work = [
    ...(isRewritten ? ['written anew'] : []),
    ...(changesRows ? ['rows changed, which others cannot change meanwhile'] : []),
    ...(newIndexes > 0 ? [newIndexes === 1 ? '1 new index' : `${newIndexes} new indexes`] : []),
    ...(scans > 0 ? [scans === 1 ? 'read once' : `read ${scans} times`] : []),
  ];
  const done = work.length === 0 ? '' : `; ${work.join(', ')}`;
  const known = size && `about ${size.rows} rows, ${Math.ceil(size.bytes / 1_000_000)} MB`;
  return `blocks ${blocks}; ${known ?? 'size not known, run analyze'}${done}`;
}

function secondsOf({ isRewritten, changesRows, scans, newIndexes, size }: PlannedTable): number {
  // What is written anew is read and written, and so are its indexes. How many rows change is not known: all of them may.
  const passes = (isRewritten ? 3 : 0) + (changesRows ? 2 : 0) + newIndexes + scans;
  return (passes * (size?.bytes ?? 0)) / BYTES_A_SECOND;
}
