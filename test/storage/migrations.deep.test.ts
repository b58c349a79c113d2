// Migrations of databases that earlier releases have filled, and tables that stay in use meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { readEndedPage, readPage } from '../../src/orders/store-list.ts';
import type { Database, Sql } from '../../src/storage/database.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { applyMigrations, isMigrated, migrate, readMigrations } from '../../src/storage/migrate.ts';
import { connectTo, type TestDatabase } from '../harness/databases.ts';
import { insertOrders, wrongCounts } from '../harness/listed-rows.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { withEmptyDatabase } from './with-database.ts';

/** Runs `transaction` on `charges` again and again beside the migrations after `last`, until they are done. */
async function migrateBeside(
  { db, database, last }: { db: Database; database: TestDatabase; last: string },
  transaction: (sql: Sql, migrationWaits: (ms: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const before = (await readMigrations()).filter(({ name }) => name <= last);
  await db.transaction(tx => applyMigrations(tx, before, silentLog));
  const { client, sql } = await connectTo(database);
  const { log, lines } = recordingLog();
  let isOver = false;
  /** Until the migration has waited for `charges` for so long at one go. */
  const migrationWaits = async (ms: number) => {
    const waits = `select from pg_locks l join pg_database d on d.oid = l.database
                    where d.datname = current_database() and l.relation = 'charges'::regclass and not l.granted
                      and l.waitstart <= clock_timestamp() - make_interval(secs => $1)`;
    while (!isOver && (await sql.query(waits, [ms / 1_000])).length === 0) {
      const inVain = lines.filter(line => line.includes('waited for a lock in vain')).length;
      assert.ok(inVain < 12, lines.join(''));
      await immediate();
    }
  };
  await sql.query('begin');
  await sql.query('select from charges');
  const migrating = migrate({ db, log }).finally(() => {
    isOver = true;
  });
  try {
    while (!isOver) {
      await transaction(sql, migrationWaits);
      await sql.query('commit');
      await sql.query('begin');
      await sql.query('select from charges');
    }
  } finally {
    await client.end();
    await migrating;
  }
  assert.ok(await isMigrated(db));
}

test('transactions that keep a table for longer than a migration waits at first do not keep it out for ever', () =>
  withEmptyDatabase((db, database) =>
    migrateBeside({ db, database, last: '0048' }, (_sql, migrationWaits) => migrationWaits(650)),
  ));

test('transactions that lock tables in another order than a migration do not keep it out for ever', () =>
  withEmptyDatabase((db, database) =>
    // The migrations have `payments` before `charges`.
    migrateBeside({ db, database, last: '0014' }, async (sql, migrationWaits) => {
      await migrationWaits(0);
      // The server may end it because of the deadlock, instead of the migration.
      await sql.query('select from payments').catch(() => {});
    }),
  ));

test('orders that had ended before there was a list of them are in it', () =>
  withEmptyDatabase(async db => {
    const isNew = ({ name }: { name: string }) => name >= '0018';
    const old = (await readMigrations()).filter(migration => !isNew(migration));
    await db.query('create table schema_migrations (name text primary key, sha256 text not null)');
    for (const { name, sql, sha256 } of old) {
      await db.query(sql);
      await db.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
    }
    await db.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
    await insertOrders(db, 40, `timestamptz '2026-03-01 12:00Z' + n * interval '37 milliseconds'`);
    await db.query(`update orders set ended_as = 'expired', ended_at = created_at where status <> 'fulfilled'`);
    const [{ count }] = (await db.query('select count(*)::int from orders where ended_as is not null')) as [Counted];
    assert.ok(count > 0 && count < 40);

    await migrate({ db, log: silentLog });
    const totals = async () => {
      const page = { page: 1, pageSize: 1 };
      return [JSON.parse(await readPage(db, page)).total, (await readEndedPage(db, page)).total];
    };
    assert.deepEqual(await totals(), [40 - count, count]);
    await mergeCounts({ db });
    assert.deepEqual(await totals(), [40 - count, count]);
    assert.deepEqual(await wrongCounts(db), []);
  }));

type Counted = { readonly count: number };

test('payments that were recorded once for each spelling of their reference stay, and are told apart', () =>
  withEmptyDatabase(async db => {
    const migrations = await readMigrations();
    // Those of release 0.2.0.
    const first = migrations.findIndex(({ name }) => name > '0013_sandbox.sql');
    for (const { sql } of migrations.slice(0, first)) await db.query(sql);
    await db.query(`
      insert into accounts (id, created_at) values ('acme', now()), ('other', now());
      insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash,
                           answer, created_at)
        values ('00000000-0000-4000-8000-000000000001', 'acme', 1, 'BRL', 1, '{}', now(), now(), '', '{}', now()),
               ('00000000-0000-4000-8000-000000000002', 'other', 1, 'BRL', 1, '{}', now(), now(), '', '{}', now());
      insert into charge_methods (charge_id, account_id, method, rail, status, instrument, updated_at)
        select id, account_id, 'pix', 'pix-key', 'PAID', '{"txid": "T1"}', now() from charges;
      insert into payments (id, account_id, charge_id, method, amount_cents, paid_at, source, reference, timing, is_repeat,
                            recorded_at)
        select gen_random_uuid(), account_id, id, 'pix', 1, now(), 'operator', reference, 'on_time', false, now()
          from charges, unnest(array['E1', 'e1', ' E1 ', 'E' || chr(8203) || '１', 'E2' || account_id, account_id || '  ' || chr(8203) || 'E3']) as reference;
      insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
        select reference, now(), 1, '', now() from unnest(array['N  1', 'N 1', 'Ｎ  2', chr(8203)]) as reference`);
    for (const { sql } of migrations.slice(first)) await db.query(sql);
    const rows = await db.query<{ reference: string }>('select reference from payments order by reference');
    const references = rows.map(({ reference }) => reference);
    assert.equal(references.length, 12);
    assert.equal(references.filter(reference => /^e1$/i.test(reference)).length, 1);
    assert.equal(references.filter(reference => /^e1 [0-9a-f-]{36}$/i.test(reference)).length, 7);
    assert.ok(references.includes('E2acme') && references.includes('E2other'));
    assert.ok(references.includes('acme E3') && references.includes('other E3'));
    const receipts = await db.query<{ reference: string }>('select reference from unmatched_receipts');
    assert.deepEqual(receipts.map(({ reference }) => reference).sort(), ['N  1', 'N 1', 'N 2', '\u200b']);
  }));

test('what banks had kept of payments before there was a book for it is booked, of credited money alone', () =>
  withEmptyDatabase(async db => {
    const migrations = await readMigrations();
    const first = migrations.findIndex(({ name }) => name >= '0039');
    await db.transaction(tx => applyMigrations(tx, migrations.slice(0, first), silentLog));
    await db.query(`
      insert into accounts (id, created_at) values ('acme', now());
      insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash,
                           answer, created_at)
        select ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'acme', 900, 'BRL', 900, '{}', now(), now(), '', '{}', now()
          from generate_series(1, 3) n;
      insert into charge_methods (charge_id, account_id, method, rail, status, reference, updated_at)
        values ('00000000-0000-4000-8000-000000000001', 'acme', 'pix', 'efi:main', 'PAID', 'T1', now()),
               ('00000000-0000-4000-8000-000000000002', 'acme', 'boleto', 'sicoob:main', 'PAID', 'T2', now()),
               ('00000000-0000-4000-8000-000000000003', 'acme', 'boleto', 'sicoob:main', 'SETTLED', 'T3', now());
      insert into payments (id, account_id, charge_id, method, amount_cents, fee_cents, paid_at, source, reference, timing,
                            is_repeat, recorded_at, rail)
        select m.charge_id, 'acme', m.charge_id, m.method, 900, right(m.charge_id::text, 1)::int, now(), 'bank',
               'R' || m.charge_id, 'on_time', false, now(), m.rail
          from charge_methods m`);
    await migrate({ db, log: silentLog });
    const lines = await db.query<{ book: string; amount: string }>(
      'select book, amount from ledger_lines order by amount',
    );
    assert.deepEqual(
      lines.map(({ book, amount }) => `${book} ${amount}`),
      ['settled -3', 'settled -1', 'bank_fee 1', 'bank_fee 3'],
    );
  }));
