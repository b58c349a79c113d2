// Lists that are counted beforehand against the same lists counted row by row, in one snapshot, while rows come, change and
// go on other connections and counts are folded at any moment.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { SYMBOLS } from '../src/chains/asset.ts';
import { CHARGE_STATES } from '../src/charges/charge.ts';
import { readChargePage } from '../src/charges/store-list.ts';
import { parseUtc } from '../src/lib/date-times.ts';
import type { PageQuery } from '../src/lib/paging.ts';
import { type Database, openDatabase, type Row, type Sql } from '../src/storage/database.ts';
import { foldCounts } from '../src/storage/fold-counts.ts';
import { readPage } from '../src/transactions/store.ts';
import { STATUSES } from '../src/transactions/transaction.ts';
import { createDatabase, type TestDatabase } from './harness/databases.ts';
import { insertCharges, insertOrders, readTheLongWay, wrongCounts } from './harness/listed-rows.ts';
import { silentLog } from './harness/log.ts';
import { type Random, randomOf } from './harness/random.ts';

const SEED = Number(process.env['SEED'] ?? 20_261_115);
const READERS = 2;
const WRITERS = 3;
const FOLDERS = 2;
/** Each round of a reader asks for eight pages of each list. */
const ROUNDS = 12;
/** More rows than these steps make would only take time. */
const MOST_STEPS = 60;

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
  // So few make a stretch that a handful of rows fills every level.
  await db.query('create or replace function split_above() returns bigint language sql immutable return 6::bigint');
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

/** One step of somebody who writes: rows come, change, end, move or go, many at once or few, and some never happened. */
async function write(random: Random): Promise<void> {
  const salt = random.below(1_000);
  const few = 1 + random.below(random.chance(0.2) ? 150 : 8);
  const change = (text: string) => (tx: Sql) => tx.query(text, [String(salt), few]);
  const ofOrders = ANY.replace('TABLE', 'crypto_transactions');
  const ofCharges = ANY.replace('TABLE', 'charges');
  const moment = random.pick(MOMENTS);
  const steps: ((tx: Sql) => Promise<unknown>)[] = [
    tx => insertOrders(tx, few, moment, salt),
    tx => insertCharges(tx, few, moment, salt),
    tx => insertOrders(tx, few, moment, salt),
    tx => insertCharges(tx, few, moment, salt),
    change(`update crypto_transactions set status = '${random.pick(STATUSES)}' where ${ofOrders}`),
    change(`update crypto_transactions set ended_as = 'expired', ended_at = now() where ${ofOrders}`),
    change(`update crypto_transactions set ended_as = null, ended_at = null where ${ofOrders}`),
    change(`update crypto_transactions set created_at = created_at + interval '1 hour' where ${ofOrders}`),
    change(`update charges set state = '${random.pick(CHARGE_STATES)}' where ${ofCharges}`),
    change(`update charges set source_key = 'source-1' where ${ofCharges}`),
    change(`delete from crypto_transactions where ${ofOrders}`),
    change(`delete from charges where ${ofCharges}`),
  ];
  const taken = Array.from({ length: 1 + random.below(3) }, () => random.pick(steps));
  const run = async (tx: Sql) => {
    for (const step of taken) await step(tx);
  };
  await inSnapshot(run, random.chance(0.15) ? 'rollback' : 'commit').catch(error => {
    // Two wrote the same row; one of them is told to try again, which is as good as not having come.
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

/** Asks for random pages of both lists, both ways, in one snapshot. */
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
        await readTheLongWay(tx, 'crypto_transactions', query, ordersEquals),
        JSON.stringify(order),
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
        { total, ids: charges.map(({ json }) => JSON.parse(json).id) },
        await readTheLongWay(tx, 'charges', query, chargesEquals),
        JSON.stringify(charge),
      );
    }
  });
}

test('every page is what counting and skipping gives, whoever writes and folds meanwhile', async () => {
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
  const folders = Array.from({ length: FOLDERS }, async (_, index) => {
    const random = randomOf(SEED, 200 + index);
    while (readersAtWork > 0) {
      if (random.chance(0.3)) await foldCounts({ db });
      else await db.query('select 1');
    }
  });
  await Promise.all([...readers, ...writers, ...folders]).finally(() => {
    readersAtWork = 0;
  });
  await foldCounts({ db });
  const random = randomOf(SEED, 300);
  for (let last = 0; last < 10; last++) await compare(random);
  await assertWholeTree();
});

/** Every kept count is what the tables hold, nothing waits, and all levels are there. */
async function assertWholeTree(): Promise<void> {
  assert.deepEqual(await db.query('select * from list_deltas'), []);
  assert.deepEqual(await db.query('select * from list_dense'), []);
  assert.deepEqual(await wrongCounts(db), []);
  const levels = await db.query<{ level: number }>('select distinct level from list_counts order by level');
  assert.deepEqual(
    levels.map(({ level }) => level),
    [0, 1, 2, 3, 4, 5, 6],
  );
}

describe('folding', () => {
  test('by two at once counts each change once', async () => {
    await insertOrders(db, 50, MOMENTS[1]!);
    await Promise.all([foldCounts({ db }), foldCounts({ db }), foldCounts({ db })]);
    await foldCounts({ db });
    await assertWholeTree();
  });

  test('that breaks off leaves everything as it was', async () => {
    await insertCharges(db, 50, MOMENTS[0]!);
    const before = await db.query('select * from list_counts order by list, a, b, c, level, bucket');
    await assert.rejects(
      db.transaction(async tx => {
        await tx.query('set transaction isolation level repeatable read');
        await tx.query('select fold_counts(10000, 10000)');
        throw new Error('the machine fell over');
      }),
      /fell over/,
    );
    assert.deepEqual(await db.query('select * from list_counts order by list, a, b, c, level, bucket'), before);
    await compare(randomOf(SEED, 400));
    await foldCounts({ db });
    await assertWholeTree();
  });

  test('in small batches comes to the same', async () => {
    await insertOrders(db, 40, MOMENTS[2]!, 3);
    await insertCharges(db, 40, MOMENTS[2]!, 3);
    for (let batch = 0; batch < 30; batch++) {
      await inSnapshot(tx => tx.query('select fold_counts(7, 100)'));
      if (batch % 10 === 0) await compare(randomOf(SEED, 500 + batch));
    }
    await foldCounts({ db });
    await assertWholeTree();
  });

  test('goes on in a database that was moved to where transactions count from anew', async () => {
    await db.query(`update list_fold set low = '9000000000000000000'`);
    await insertOrders(db, 30, MOMENTS[1]!, 5);
    await compare(randomOf(SEED, 600));
    await foldCounts({ db });
    await insertOrders(db, 30, MOMENTS[1]!, 6);
    await compare(randomOf(SEED, 601));
    await foldCounts({ db });
    await assertWholeTree();
  });

  test('leaves nothing of rows that are gone', async () => {
    await db.query('delete from crypto_transactions');
    await db.query('delete from charges');
    await foldCounts({ db });
    assert.deepEqual(await db.query('select * from list_counts'), []);
    await insertOrders(db, 100, MOMENTS[0]!);
    await foldCounts({ db });
    await compare(randomOf(SEED, 700));
    await db.query('truncate crypto_transactions cascade');
    await compare(randomOf(SEED, 701));
    assert.deepEqual(await db.query('select * from list_counts'), []);
  });

  test('that takes a row away before it was added forgets no part', async () => {
    await insertOrders(db, 20, MOMENTS[0]!);
    await foldCounts({ db });
    await db.query(
      'delete from crypto_transactions where created_at > (select min(created_at) from crypto_transactions)',
    );
    await foldCounts({ db });
    // It comes, in another part, and goes; whoever took it away had the earlier number.
    await insertOrders(db, 1, `timestamptz '2026-03-01 12:00:00.600Z'`);
    await db.query(`delete from crypto_transactions where created_at = '2026-03-01 12:00:00.600Z'`);
    await db.query(`update list_deltas set xid = (xid::text::bigint + 1000)::text::xid8 where delta > 0`);
    await inSnapshot(tx => tx.query('select fold_counts(1, 100)'));
    await compare(randomOf(SEED, 800));
    await foldCounts({ db });
    await compare(randomOf(SEED, 801));
    assert.deepEqual(await wrongCounts(db), []);
    await insertOrders(db, 40, MOMENTS[0]!, 1);
    await foldCounts({ db });
    await compare(randomOf(SEED, 802));
    assert.deepEqual(await wrongCounts(db), []);
  });
});
