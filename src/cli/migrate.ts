// trilho migrate: brings the schema of DATABASE_URL up to date; with --plan it only lists what is missing.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { hasSchema } from '../storage/installation.ts';
import { migrate, missingMigrations } from '../storage/migrate.ts';
import { readMigrations } from '../storage/migrations.ts';
import {
  describeTransaction,
  LOCK_WAIT_MS,
  MAX_LOCK_WAIT_MS,
  readOpenTransactions,
} from '../storage/open-transactions.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { openDatabaseOf, withStops } from './open-database.ts';
import { sayDatabase } from './say-database.ts';

export async function migrateCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { flags, faults } = readArguments(args, { flags: ['plan'] });
  refuseFaults('migrate', faults);
  const isPlan = flags.includes('plan');
  if (config.databaseUrl === undefined && !isPlan) {
    throw new StartError('trilho migrate needs DATABASE_URL; the embedded database is migrated at every start.');
  }
  sayDatabase(config);
  return withStops(async stops => {
    const db = await openDatabaseOf({ config, log }, stops);
    if (isPlan) await sayPlan(db);
    else {
      await migrate({ db, log });
      console.log('The schema is up to date.');
    }
    return 0;
  });
}

/** The migrations that would run, each with its own description. Nothing is locked or changed. */
async function sayPlan(db: Database): Promise<void> {
  if (!(await hasSchema(db))) {
    const { length } = await readMigrations();
    console.log(`This database is new: ${length} migrations will make its tables.`);
    return;
  }
  const missing = await missingMigrations(db);
  for (const { name, sql } of missing) console.log(`${name}: ${firstComment(sql)}`);
  console.log(
    missing.length === 0
      ? 'The schema is up to date.'
      : `${missing.length === 1 ? '1 migration' : `${missing.length} migrations`}, in one transaction: the tables that it locks stay locked until its end. ` +
          `When a lock is not granted within ${LOCK_WAIT_MS} ms, the transaction is rolled back and retried, each time with a longer wait, up to ` +
          `${MAX_LOCK_WAIT_MS / 1_000} s. Other queries wait behind it meanwhile: start when the load is low.`,
  );
  console.log('The start of a service also brings the job queue up to date (pg-boss).');
  const open = missing.length === 0 ? [] : await readOpenTransactions(db);
  if (open.length === 0) return;
  console.log(`Open for longer than ${LOCK_WAIT_MS} ms: ${open.map(describeTransaction).join(', ')}.`);
  console.log('The migrations wait until those that use one of their tables have ended.');
}

/** The comment with which a migration opens, on one line. */
function firstComment(sql: string): string {
  const [comment = ''] = /^(?:--.*\n?)*/.exec(sql)!;
  return comment.replaceAll(/^-- ?/gm, '').trim().replaceAll('\n', ' ');
}
