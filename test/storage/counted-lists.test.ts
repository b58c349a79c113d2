// Counted lists against the same lists counted row by row, in one snapshot, while other connections insert, change and delete rows
// and merge changes at any moment. A new kind of write goes into `write`, a new filter into `compare`.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { SYMBOLS } from '../../src/chains/asset.ts';
import { CHARGE_STATES } from '../../src/charges/charge.ts';
import { readChargePage } from '../../src/charges/store/list.ts';
import { parseUtc } from '../../src/lib/date-times.ts';
import type { PageQuery } from '../../src/lib/paging.ts';
import { ENDINGS, STATUSES } from '../../src/orders/order.ts';
import { readEndedPage, readPage } from '../../src/orders/store-list.ts';
import { type Database, openDatabase, type Row, type Sql } from '../../src/storage/database.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { insertCharges, insertOrders, readByCounting, wrongCounts } from '../harness/listed-rows.ts';
import { silentLog } from '../harness/log.ts';
import { type Random, randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';

const SEED = Number(process.env['SEED'] ?? 20_261_115);
const READERS = 2;
const WRITERS = 3;
const MERGERS = 2;
/** Each round of a reader reads eight pages of each list. */
const ROUNDS = scaled(12, 3);
/** More rows would only take time. */
const MOST_STEPS = scaled(60, 12);

/** Years, hours and milliseconds apart, so that every level of the tree has parts. */
const MOMENTS = [
  `timestamptz '2026-03-01 12:00Z' + n * interval '37 milliseconds'`,
  `timestamptz '2026-03-01 12:00Z' + n * interval '11 seconds'`,
  `timestamptz '2025-06-01 00:00Z' + n * n * interval '997 seconds'`,
  `timestamptz '2026-03-01 12:00:00.125Z'`,
  `timestamptz '0001-01-01 00:00Z' + n * interval '31 years'`,
  `timestamptz '9999-12-31 23:59:59.999Z' - n * interval '3 days'`,
];
const BOUNDS = [
  '0000-01-01T00:00Z',
  '0031-12-31T23:59:59.9995Z',
  '2025-06-01T00:16:37Z',
  '2026-01-01T00:00Z',
  '2026-03-01T12:00Z',
  '2026-03-01T12:00:00.125Z',
  '2026-03-01T12:00:00.1251Z',
  '2026-03-01T12:00:01.999Z',
  '2026-03-01T12:03:00.007Z',
  '2026-03-01T13:00Z',
  '9999-12-31T23:59:59.999Z',
];

let database: TestDatabase;
let db: Database;
let pool: pg.Pool;
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  pool = new pg.Pool({ connectionString: database.url, max: 12 });
  // So few rows split a bucket that a handful fills every level.
  await db.query('create or replace function split_threshold() returns bigint language sql immutable return 6::bigint');
  await db.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
});
after(async () => {
  await pool.end();
  await db.close();
  await database.drop();
});

/** Runs `work` in a transaction of its own that sees one snapshot; it ends as `end` says. */
async function inSnapshot<T>(work: (tx: Sql) => Promise<T>, end: 'commit' | 'rollback' = 'commit'): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read');
    const result = await work({
      query: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
        (await client.query<R>(text, [...values])).rows,
    });
    await client.query(end);
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

const ANY = 'id in (select id from TABLE order by md5(id::text || $1) limit $2)';

/** One transaction of a writer: rows are inserted, changed, ended, moved in time or deleted, many or few; some are rolled back. */
async function write(random: Random): Promise<void> {
  const salt = random.below(1_000);
  const few = 1 + random.below(random.chance(0.2) ? 150 : 8);
  const change = (text: string) => (tx: Sql) => tx.query(text, [String(salt), few]);
  const ofOrders = ANY.replace('TABLE', 'orders');
  const ofCharges = ANY.replace('TABLE', 'charges');
  const moment = random.pick(MOMENTS);
  const steps: ((tx: Sql) => Promise<unknown>)[] = [
    tx => insertOrders(tx, few, moment, salt),
    tx => insertCharges(tx, few, moment, salt),
    tx => insertOrders(tx, few, moment, salt),
    tx => insertCharges(tx, few, moment, salt),
    change(`update orders set status = '${random.pick(STATUSES)}' where ${ofOrders}`),
    change(`update orders set ended_as = '${random.pick(ENDINGS)}', ended_at = now() where ${ofOrders}`),
    change(`update orders set ended_as = null, ended_at = null where ${ofOrders}`),
    change(`update orders set created_at = created_at + interval '1 hour' where ${ofOrders}`),
    change(`update charges set state = '${random.pick(CHARGE_STATES)}' where ${ofCharges}`),
    change(`update charges set source_key = 'source-1' where ${ofCharges}`),
    change(`delete from orders where ${ofOrders}`),
    change(`delete from charges where ${ofCharges}`),
  ];
  const taken = Array.from({ length: 1 + random.below(3) }, () => random.pick(steps));
  const run = async (tx: Sql) => {
    for (const step of taken) await step(tx);
  };
  await inSnapshot(run, random.chance(0.15) ? 'rollback' : 'commit').catch(error => {
    // Two writers changed the same row, and one of them was rolled back.
    if (!['40001', '40P01'].includes((error as { code?: string }).code ?? '')) throw error;
  });
}

function someQuery(random: Random, total: number): PageQuery {
  const pageSize = random.pick([1, 2, 7, 20, 100]);
  const pages = Math.ceil(total / pageSize);
  const page = random.pick([1, 2, 1 + random.below(pages + 2), Math.max(1, pages), pages + 1]);
  const [first, last] = [random.below(BOUNDS.length), random.below(BOUNDS.length)].toSorted((a, b) => a - b) as [
    number,
    number,
  ];
  const from = random.chance(0.5) ? parseUtc(BOUNDS[first]!) : undefined;
  const to = random.chance(0.5) ? parseUtc(BOUNDS[last]!) : undefined;
  return { page, pageSize, ...(from && { from }), ...(to && { to }) };
}

/** Reads random pages of all lists, both ways, in one snapshot. */
async function compare(random: Random): Promise<void> {
  await inSnapshot(async tx => {
    const maybe = <T>(items: readonly T[]) => (random.chance(0.5) ? random.pick(items) : undefined);
    const [{ count }] = (await tx.query('select count(*)::int from charges')) as [{ count: number }];
    for (let asked = 0; asked < 8; asked++) {
      const query = someQuery(random, random.pick([count, count / 5, 20]));
      const accountId = maybe(['account-0', 'account-1', 'account-2', 'account-3', 'nobody']);
      const symbol = maybe(SYMBOLS);
      const status = maybe(STATUSES);
      const order = { ...query, ...(accountId && { accountId }), ...(symbol && { symbol }), ...(status && { status }) };
      const ordersEquals = { account_id: accountId, symbol, status };
      const orders = JSON.parse(await readPage(tx, order));
      assert.deepEqual(
        { total: orders.total, ids: orders.transactions.map((one: { transactionId: string }) => one.transactionId) },
        await readByCounting(tx, 'orders', query, ordersEquals),
        JSON.stringify(order),
      );
      const endedAs = maybe(ENDINGS);
      const endedQuery = { ...query, ...(accountId && { accountId }), ...(endedAs && { endedAs }) };
      const ended = await readEndedPage(tx, endedQuery);
      assert.deepEqual(
        { total: ended.total, ids: ended.orders.map(({ id }) => id) },
        await readByCounting(tx, 'ended_orders', query, { account_id: accountId, ended_as: endedAs }),
        JSON.stringify(endedQuery),
      );
      const state = maybe(CHARGE_STATES);
      const sourceKey = maybe(['source-0', 'source-1', 'source-2', 'source-4']);
      const charge = {
        ...query,
        ...(accountId && { accountId }),
        ...(state && { state }),
        ...(sourceKey && { sourceKey }),
      };
      const chargesEquals = { account_id: accountId, state, source_key: sourceKey };
      const { total, charges } = await readChargePage(tx, charge);
      assert.deepEqual(
        { total, ids: charges.map(({ id }) => id) },
        await readByCounting(tx, 'charges', query, chargesEquals),
        JSON.stringify(charge),
      );
    }
  });
}

test('every page equals the one by counting and skipping, while others write and merge', async () => {
  let readersAtWork = READERS;
  const readers = Array.from({ length: READERS }, async (_, index) => {
    const random = randomOf(SEED, 100 + index);
    for (let round = 0; round < ROUNDS; round++) await compare(random);
    readersAtWork -= 1;
  });
  const writers = Array.from({ length: WRITERS }, async (_, index) => {
    const random = randomOf(SEED, index);
    for (let step = 0; step < MOST_STEPS && readersAtWork > 0; step++) await write(random);
  });
  const mergers = Array.from({ length: MERGERS }, async (_, index) => {
    const random = randomOf(SEED, 200 + index);
    while (readersAtWork > 0) {
      if (random.chance(0.3)) await mergeCounts({ db });
      else await db.query('select 1');
    }
  });
  await Promise.all([...readers, ...writers, ...mergers]).finally(() => {
    readersAtWork = 0;
  });
  // However few the writers had time for, every level has rows.
  for (const moment of MOMENTS) await insertOrders(db, 20, moment, 9);
  await mergeCounts({ db });
  const random = randomOf(SEED, 300);
  for (let last = 0; last < scaled(10, 3); last++) await compare(random);
  await assertWholeTree();
});

/** Every count is right, no change is pending, and every level of the tree has buckets. */
async function assertWholeTree(): Promise<void> {
  assert.deepEqual(await db.query('select * from list_changes'), []);
  assert.deepEqual(await db.query('select * from list_buckets_to_split'), []);
  assert.deepEqual(await wrongCounts(db), []);
  const levels = await db.query<{ level: number }>('select distinct level from list_counts order by level');
  assert.deepEqual(
    levels.map(({ level }) => level),
    [0, 1, 2, 3, 4, 5, 6],
  );
}

describe('merging', () => {
  test('by three at once counts each change once', async () => {
    await insertOrders(db, 50, MOMENTS[1]!);
    await Promise.all([mergeCounts({ db }), mergeCounts({ db }), mergeCounts({ db })]);
    await mergeCounts({ db });
    await assertWholeTree();
  });

  test('that is interrupted changes nothing', async () => {
    await insertCharges(db, 50, MOMENTS[0]!);
    const before = await db.query('select * from list_counts order by list, account_id, label, state, level, bucket');
    await assert.rejects(
      db.transaction(async tx => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query('select merge_list_changes(10000, 10000)');
        throw new Error('interrupted');
      }),
      /interrupted/,
    );
    assert.deepEqual(
      await db.query('select * from list_counts order by list, account_id, label, state, level, bucket'),
      before,
    );
    await compare(randomOf(SEED, 400));
    await mergeCounts({ db });
    await assertWholeTree();
  });

  test('in small batches gives the same counts', async () => {
    await insertOrders(db, 40, MOMENTS[2]!, 3);
    await insertCharges(db, 40, MOMENTS[2]!, 3);
    for (let batch = 0; batch < 30; batch++) {
      await inSnapshot(tx => tx.query('select merge_list_changes(7, 100)'));
      if (batch % 10 === 0) await compare(randomOf(SEED, 500 + batch));
    }
    await mergeCounts({ db });
    await assertWholeTree();
  });

  test('continues in a restored database whose transaction ids start again', async () => {
    await db.query(`update list_merge set merged_before = '9000000000000000000'`);
    await insertOrders(db, 30, MOMENTS[1]!, 5);
    await compare(randomOf(SEED, 600));
    await mergeCounts({ db });
    await insertOrders(db, 30, MOMENTS[1]!, 6);
    await compare(randomOf(SEED, 601));
    await mergeCounts({ db });
    await assertWholeTree();
  });

  test('leaves no bucket of deleted rows', async () => {
    await db.query('delete from orders');
    await db.query('delete from charges');
    await mergeCounts({ db });
    assert.deepEqual(await db.query('select * from list_counts'), []);
    await insertOrders(db, 100, MOMENTS[0]!);
    await mergeCounts({ db });
    await compare(randomOf(SEED, 700));
    await db.query('truncate orders cascade');
    await compare(randomOf(SEED, 701));
    assert.deepEqual(await db.query('select * from list_counts'), []);
  });

  test('of a deletion before its insertion keeps every part', async () => {
    await insertOrders(db, 20, MOMENTS[0]!);
    await mergeCounts({ db });
    await db.query('delete from orders where created_at > (select min(created_at) from orders)');
    await mergeCounts({ db });
    // One row is inserted in another bucket and deleted; the deletion gets the earlier transaction id.
    await insertOrders(db, 1, `timestamptz '2026-03-01 12:00:00.600Z'`);
    await db.query(`delete from orders where created_at = '2026-03-01 12:00:00.600Z'`);
    await db.query(`update list_changes set xid = (xid::text::bigint + 1000)::text::xid8 where delta > 0`);
    await inSnapshot(tx => tx.query('select merge_list_changes(1, 100)'));
    await compare(randomOf(SEED, 800));
    await mergeCounts({ db });
    await compare(randomOf(SEED, 801));
    assert.deepEqual(await wrongCounts(db), []);
    await insertOrders(db, 40, MOMENTS[0]!, 1);
    await mergeCounts({ db });
    await compare(randomOf(SEED, 802));
    assert.deepEqual(await wrongCounts(db), []);
  });
});
