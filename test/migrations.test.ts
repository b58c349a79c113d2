// What was there before is what it was when the database has been brought up to date.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { readFeed, requirePlace } from '../src/events/feed.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { migrate, readMigrations } from '../src/storage/migrate.ts';
import { readPage } from '../src/transactions/store.ts';
import { createDatabase } from './harness/databases.ts';
import { insertCharges, insertOrders, readTheLongWay, wrongCounts } from './harness/listed-rows.ts';
import { silentLog } from './harness/log.ts';

const ROWS = 3_000;

/** A database as the version before a migration left it. */
async function fromBefore(db: Database, migration: string): Promise<void> {
  await db.query(
    'create table schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
  );
  for (const { name, sql, sha256 } of await readMigrations()) {
    if (name >= migration) return;
    await db.query(sql);
    await db.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
  }
}

async function withDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const database = await createDatabase('template1');
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  try {
    await work(db);
  } finally {
    await db.close();
    await database.drop();
  }
}

test('rows from before are counted', () =>
  withDatabase(async db => {
    await fromBefore(db, '0030');
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
  }));

test('events keep the places they have, and those that wait for one get it in the order of their objects', () =>
  withDatabase(async db => {
    await fromBefore(db, '0039');
    const [one, other] = [randomUUID(), randomUUID()];
    // Position, object, sequence, minute.
    const events = [
      [2, one, 1, 5],
      [1, other, 1, 9],
      [null, one, 3, 1],
      [null, other, 2, 3],
      [null, one, 2, 7],
    ] as const;
    for (const [position, objectId, sequence, minute] of events) {
      await db.query(
        `insert into events (id, account_id, type, object_id, sequence, occurred_at, object, position)
         values ($1, 'acme', 'charge.created', $2, $3, timestamptz '2026-01-01Z' + $4 * interval '1 minute', '{}', $5)`,
        [randomUUID(), objectId, sequence, minute, position],
      );
    }
    await db.query('update event_feed set position = 2');
    await migrate({ db, log: silentLog });
    const { events: found } = await readFeed({ db }, await requirePlace({ db }, undefined), { limit: 10 });
    assert.deepEqual(
      found.map(({ position, json }) => {
        const { objectId, sequence } = JSON.parse(json);
        return [Number(position), objectId, sequence];
      }),
      [
        [1, other, 1],
        [2, one, 1],
        [3, other, 2],
        [4, one, 2],
        [5, one, 3],
      ],
    );
  }));
