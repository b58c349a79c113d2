// The tree of time buckets by example: which rows are inserted or changed, and the buckets that are counted afterwards. A bucket is
// split above four rows here. To add an example, add an entry to EXAMPLES; docs/decisions/0024-exact-pages.md draws the tree.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { wrongCounts } from '../harness/listed-rows.ts';
import { silentLog } from '../harness/log.ts';

let database: TestDatabase;
let db: Database;
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  await db.query('create or replace function split_threshold() returns bigint language sql immutable return 4::bigint');
  await db.query(`insert into accounts (id, created_at) values ('acme', now()), ('other', now())`);
});
after(async () => {
  await db.close();
  await database.drop();
});

type Order = { readonly at: string; readonly account?: string; readonly symbol?: string; readonly status?: string };

async function insert(orders: readonly Order[]): Promise<void> {
  for (const { at, account = 'acme', symbol = 'eth', status = 'fulfilled' } of orders) {
    await db.query(
      `insert into orders (
         id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address, wallet_name,
         settlement_schedule, settlement_date, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, $3, 'ethereum', 1, 'BRL', 1, 1, 'w', '0x0', 'Treasury', 'D0', $4, $4, $4)`,
      [account, status, symbol, at],
    );
  }
}

const at = (...times: string[]): Order[] => times.map(time => ({ at: time }));

/** The buckets of one combination of filters, as `level start: rows`; a split bucket has a `+`. */
async function treeOf({ account = '', symbol = '', status = '' }: Partial<Order>): Promise<string[]> {
  const rows = await db.query<{ level: number; start: string; row_count: string; is_split: boolean }>(
    `select level, case when level = 0 then 'all time' else iso_utc(tick_start(bucket << bucket_bits(level))) end as start,
            row_count, is_split
       from list_counts where list = 'orders' and account_id = $1 and label = $2 and state = $3
      order by level, bucket`,
    [account, symbol, status],
  );
  return rows.map(row => `${row.level} ${row.start}: ${row.row_count}${row.is_split ? '+' : ''}`);
}

/** Each example starts without orders; every step is merged before the next one. */
const EXAMPLES: readonly {
  readonly what: string;
  readonly steps: readonly (() => Promise<unknown>)[];
  readonly trees: readonly { readonly of: Partial<Order>; readonly buckets: readonly string[] }[];
}[] = [
  {
    what: 'few rows are one count',
    steps: [() => insert(at('2024-02-29T10:00Z', '2026-01-01T00:00Z'))],
    trees: [
      { of: {}, buckets: ['0 all time: 2'] },
      { of: { symbol: 'eth', status: 'fulfilled' }, buckets: ['0 all time: 2'] },
      { of: { symbol: 'usdt' }, buckets: [] },
    ],
  },
  {
    what: 'a bucket with more rows is split, and only the parts that are large are split again',
    steps: [() => insert(at('2026-01-01T00:00Z', '2026-01-20Z', '2026-06-01Z', '2026-06-02Z', '2026-06-03Z'))],
    trees: [{ of: {}, buckets: ['0 all time: 5+', '1 2025-12-24T06:11:12.000Z: 2', '1 2026-05-18T21:26:24.000Z: 3'] }],
  },
  {
    what: 'rows of one second are split down to an eighth of it, which holds any number',
    steps: [() => insert(at(...Array(5).fill('2026-01-01T00:00:00.130Z'), '2026-01-01T00:00:00.250Z'))],
    trees: [
      {
        of: {},
        buckets: [
          '0 all time: 6+',
          '1 2025-12-24T06:11:12.000Z: 6+',
          '2 2025-12-31T20:13:52.000Z: 6+',
          '3 2025-12-31T23:38:40.000Z: 6+',
          '4 2026-01-01T00:00:00.000Z: 6+',
          '5 2026-01-01T00:00:00.000Z: 6+',
          '6 2026-01-01T00:00:00.125Z: 5',
          '6 2026-01-01T00:00:00.250Z: 1',
        ],
      },
    ],
  },
  {
    what: 'a new status moves a row between combinations with a status, and changes no other',
    steps: [
      () => insert(at('2026-01-01Z', '2026-01-02Z', '2026-01-03Z')),
      () => db.query(`update orders set status = 'fulfilling' where created_at = '2026-01-02Z'`),
    ],
    trees: [
      { of: {}, buckets: ['0 all time: 3'] },
      { of: { symbol: 'eth' }, buckets: ['0 all time: 3'] },
      { of: { status: 'fulfilled' }, buckets: ['0 all time: 2'] },
      { of: { symbol: 'eth', status: 'fulfilling' }, buckets: ['0 all time: 1'] },
    ],
  },
  {
    what: 'an account is combined with other filters only when it has many rows',
    steps: [
      () =>
        insert([
          ...at('2026-01-01Z', '2026-01-02Z', '2026-03-01Z', '2026-03-02Z', '2026-03-03Z'),
          { at: '2026-01-01Z', account: 'other' },
        ]),
    ],
    trees: [
      { of: { account: 'other' }, buckets: ['0 all time: 1'] },
      { of: { account: 'other', symbol: 'eth' }, buckets: [] },
      {
        of: { account: 'acme', symbol: 'eth' },
        buckets: ['0 all time: 5+', '1 2025-12-24T06:11:12.000Z: 2', '1 2026-02-10T19:16:16.000Z: 3'],
      },
      {
        of: { account: 'acme', symbol: 'eth', status: 'fulfilled' },
        buckets: ['0 all time: 5+', '1 2025-12-24T06:11:12.000Z: 2', '1 2026-02-10T19:16:16.000Z: 3'],
      },
    ],
  },
  {
    what: 'an order that ended leaves the list, a bucket without rows is deleted, and a split bucket stays split',
    steps: [
      () => insert(at('2026-01-01Z', '2026-01-02Z', '2026-03-01Z', '2026-03-02Z', '2026-06-01Z')),
      () => db.query(`update orders set ended_as = 'expired', ended_at = now() where created_at < '2026-02-01Z'`),
      () => db.query(`delete from orders where created_at = '2026-06-01Z'`),
    ],
    trees: [{ of: {}, buckets: ['0 all time: 2+', '1 2026-02-10T19:16:16.000Z: 2'] }],
  },
];

for (const { what, steps, trees } of EXAMPLES) {
  test(what, async () => {
    await db.query('delete from orders');
    await mergeCounts({ db });
    assert.deepEqual(await db.query('select * from list_counts'), []);
    for (const step of steps) {
      await step();
      await mergeCounts({ db });
    }
    for (const { of, buckets } of trees) assert.deepEqual(await treeOf(of), buckets, JSON.stringify(of));
    assert.deepEqual(await wrongCounts(db), []);
  });
}
