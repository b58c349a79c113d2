// Rows that were there before lists were counted are counted when the database is brought up to date.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { migrate, readMigrations } from '../src/storage/migrate.ts';
import { readPage } from '../src/transactions/store.ts';
import { createDatabase } from './harness/databases.ts';
import { insertCharges, insertOrders, readTheLongWay, wrongCounts } from './harness/listed-rows.ts';
import { silentLog } from './harness/log.ts';

const ROWS = 3_000;

/** A database as the versions before this one left it. */
async function fromBefore(db: Database): Promise<void> {
  await db.query(
    'create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  for (const { name, sql, sha256 } of await readMigrations()) {
    if (name >= '0030') return;
    await db.query(sql);
    await db.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
  }
}

test('rows from before are counted by the migration', async () => {
  const database = await createDatabase('template1');
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  try {
    await fromBefore(db);
    await db.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
    await insertOrders(db, ROWS, `timestamptz '2026-01-01Z' + n * interval '17 minutes'`);
    await insertCharges(db, ROWS, `timestamptz '2026-01-01Z' + n * interval '3 seconds'`);
    await db.query(
      `update crypto_transactions set ended_as = 'expired', ended_at = now() where status = 'pending_payment'`,
    );
    await migrate({ db, log: silentLog });

    const [counts] = await db.query<{ waits: number; split: number }>(
      `select (select count(*)::int from list_deltas) + (select count(*)::int from list_dense) as waits,
              (select count(*)::int from list_counts where is_split) as split`,
    );
    assert.equal(counts!.waits, 0);
    assert(counts!.split > 20, `${counts!.split} stretches are split`);
    assert.deepEqual(await wrongCounts(db), []);
    for (const filter of [
      {},
      { symbol: 'eth' },
      { status: 'fulfilled' },
      { accountId: 'account-1', status: 'fulfilling' },
    ] as const) {
      for (const page of [1, 2, 17]) {
        const query = { page, pageSize: 9, ...filter };
        const { accountId: account_id, ...equals } = { accountId: undefined, ...filter };
        const { total, transactions } = JSON.parse(await readPage(db, query));
        assert.deepEqual(
          { total, ids: transactions.map((one: { transactionId: string }) => one.transactionId) },
          await readTheLongWay(db, 'crypto_transactions', query, { account_id, ...equals }),
        );
      }
    }
  } finally {
    await db.close();
    await database.drop();
  }
});
