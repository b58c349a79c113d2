// trilho migrate: brings the schema of DATABASE_URL up to date and leaves; with --plan it only says what that would do.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { asStartFault } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';
import { type PlannedTable, planMigrations } from '../storage/migration-plan.ts';
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
  const planned = await planMigrations(db);
  if (planned.length === 0) {
    console.log('The schema is up to date.');
    return;
  }
  for (const { name, tables } of planned) {
    console.log(tables.length === 0 ? `${name}: only new tables, or nothing that blocks others` : `${name}:`);
    for (const table of tables) console.log(`  ${table.name}: ${wordsOf(table)}`);
  }
  const seconds = planned.flatMap(({ tables }) => tables).reduce((sum, table) => sum + secondsOf(table), 0);
  console.log(
    `${planned.length} migrations, in one transaction: a table stays locked until its end, ` +
      `about ${Math.max(1, Math.ceil(seconds))} s at 50 MB a second.`,
  );
}

function wordsOf({ blocks, isRewritten, changesRows, scans, newIndexes, rows, bytes }: PlannedTable): string {
  const work = [
    ...(isRewritten ? ['written anew'] : []),
    ...(changesRows ? ['rows changed, which others cannot change meanwhile'] : []),
    ...(newIndexes > 0 ? [`${newIndexes} new indexes`] : []),
    ...(scans > 0 ? [`read ${scans} times`] : []),
  ];
  const done = work.length === 0 ? '' : `; ${work.join(', ')}`;
  return `blocks ${blocks}; about ${rows} rows, ${Math.ceil(bytes / 1_000_000)} MB${done}`;
}

function secondsOf({ isRewritten, changesRows, scans, newIndexes, bytes }: PlannedTable): number {
  // What is written anew is read and written, and so are its indexes. How many rows change is not known: all of them may.
  const passes = (isRewritten ? 3 : 0) + (changesRows ? 2 : 0) + newIndexes + scans;
  return (passes * bytes) / BYTES_A_SECOND;
}
