// Migrations of tables that are in use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Database, Sql } from '../../src/storage/database.ts';
import { isMigrated, migrate } from '../../src/storage/migrate.ts';
import { connectTo, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { withRelease } from '../harness/releases.ts';

/** Runs `transaction` on `table` again and again beside the upgrade of a database of 0.2.0, until it is done. */
async function migrateBeside(
  { db, database, table }: { db: Database; database: TestDatabase; table: string },
  transaction: (sql: Sql, migrationWaits: (ms: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { client, sql } = await connectTo(database);
  const { log, lines } = recordingLog();
  let isOver = false;
  /** Until the migration has waited for the table for that long at one go. */
  const migrationWaits = async (ms: number) => {
    const waits = `select from pg_locks l join pg_database d on d.oid = l.database
                    where d.datname = current_database() and l.relation = '${table}'::regclass and not l.granted
                      and l.waitstart <= clock_timestamp() - make_interval(secs => $1)`;
    while (!isOver && (await sql.query(waits, [ms / 1_000])).length === 0) {
      const timeouts = lines.filter(line => line.includes('did not get a lock in time')).length;
      assert.ok(timeouts < 12, lines.join(''));
      await immediate();
    }
  };
  await sql.query('begin');
  await sql.query(`select from ${table}`);
  const migrating = migrate({ db, log }).finally(() => {
    isOver = true;
  });
  try {
    while (!isOver) {
      await transaction(sql, migrationWaits);
      await sql.query('commit');
      await sql.query('begin');
      await sql.query(`select from ${table}`);
    }
  } finally {
    await client.end();
    await migrating;
  }
  assert.ok(await isMigrated(db));
}

test("transactions that hold a table for longer than a migration's first wait do not block it forever", () =>
  withRelease('0.2.0-live', (db, database) =>
    migrateBeside({ db, database, table: 'charges' }, (_sql, migrationWaits) => migrationWaits(650)),
  ));

test('transactions that lock tables in another order than a migration do not block it forever', () =>
  withRelease('0.2.0-live', (db, database) =>
    // The upgrade has `charges` before `payments`.
    migrateBeside({ db, database, table: 'payments' }, async (sql, migrationWaits) => {
      await migrationWaits(0);
      // The server may end it because of the deadlock, instead of the migration.
      await sql.query('select from charges').catch(() => {});
    }),
  ));
