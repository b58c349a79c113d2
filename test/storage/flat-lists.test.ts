// A list of many rows is read as fast as one of few: measured in pages of the database that the real statements touch, since
// time would depend on the machine. More rows: LIST_ROWS=1000000 npm run test:file -- test/storage/flat-lists.test.ts
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { readChargePage } from '../../src/charges/store/list.ts';
import { parseUtc } from '../../src/lib/date-times.ts';
import type { PageQuery } from '../../src/lib/paging.ts';
import type { ListQuery } from '../../src/orders/order.ts';
import { type EndedQuery, readEndedPage, readPage } from '../../src/orders/store-list.ts';
import { openDatabase, type Sql } from '../../src/storage/database.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { connectTo, createDatabase, type TestDatabase } from '../harness/databases.ts';
import { insertCharges, insertOrders, readByCounting } from '../harness/listed-rows.ts';
import { silentLog } from '../harness/log.ts';
import { pagesTouched } from '../harness/pages-touched.ts';
import { scaled } from '../harness/scale.ts';

const FEW = scaled(3_000, 300);
const MANY = Number(process.env['LIST_ROWS'] ?? scaled(30_000, 3_000));
const PAGE_SIZE = 20;
/** A deeper index and one or two more levels of the tree; never proportional to the rows. */
const MOST_TIMES_FEW = 2;

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
before(async () => {
  database = await createDatabase();
  ({ client, sql } = await connectTo(database));
  await sql.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
});
after(async () => {
  await client.end();
  await database.drop();
});

const between = (from: string, to: string) => ({ from: parseUtc(from)!, to: parseUtc(to)! });

async function measure(count: number): Promise<Map<string, number>> {
  const touched = new Map<string, number>();
  const page = (number: number) => ({ page: Math.max(1, Math.floor(number)), pageSize: PAGE_SIZE });
  const last = count / PAGE_SIZE;
  const range = between('2026-02-03T04:05:06.007Z', '2026-10-09T08:07:06.005Z');
  const orders: Record<string, ListQuery> = {
    'first page': page(1),
    'middle page': page(last / 2),
    'last page': page(last),
    'a symbol': { ...page(last / 14), symbol: 'eth' },
    'a status': { ...page(last / 3), status: 'fulfilled' },
    'symbol and status': { ...page(last / 90), symbol: 'trx', status: 'fulfilling' },
    'an account': { ...page(last / 14), accountId: 'account-3' },
    'account, symbol and status': { ...page(last / 100), accountId: 'account-0', symbol: 'usdt', status: 'fulfilled' },
    'a range': { ...page(last / 3), ...range },
    'a range of one status': { ...page(last / 4), ...range, status: 'fulfilled' },
    'past the end': page(last * 9),
  };
  for (const [name, query] of Object.entries(orders)) {
    touched.set(`orders, ${name}`, await pagesTouched(sql, tx => readPage(tx, query)));
    const { total } = JSON.parse(await readPage(sql, query));
    const { accountId: account_id, symbol, status } = query;
    assert.equal(total, (await readByCounting(sql, 'orders', query, { account_id, symbol, status })).total);
  }
  const byExternalId = { ...page(1), externalId: 'order-7' };
  touched.set('orders, an externalId', await pagesTouched(sql, tx => readPage(tx, byExternalId)));
  assert.equal(JSON.parse(await readPage(sql, byExternalId)).total, 1);
  const ended: Record<string, EndedQuery> = {
    'first page': page(1),
    'last page': page(last),
    'an ending': { ...page(last / 3), endedAs: 'expired' },
    'account and ending': { ...page(last / 14), accountId: 'account-1', endedAs: 'expired' },
  };
  for (const [name, query] of Object.entries(ended)) {
    touched.set(`ended orders, ${name}`, await pagesTouched(sql, tx => readEndedPage(tx, query)));
    const { accountId: account_id, endedAs: ended_as } = query;
    const { total } = await readEndedPage(sql, query);
    assert.equal(total, (await readByCounting(sql, 'ended_orders', query, { account_id, ended_as })).total);
  }
  const charges: Record<string, PageQuery & { accountId?: string; sourceKey?: string; state?: 'PAID' }> = {
    'first page': page(1),
    'middle page': page(last / 2),
    'last page': page(last),
    'a state': { ...page(last / 8), state: 'PAID' },
    'a source': { ...page(last / 16), sourceKey: 'source-2' },
    everything: { ...page(last / 200), ...range, accountId: 'account-1', sourceKey: 'source-0', state: 'PAID' },
  };
  for (const [name, query] of Object.entries(charges)) {
    touched.set(`charges, ${name}`, await pagesTouched(sql, tx => readChargePage(tx, query)));
  }
  return touched;
}

test('a page of many rows touches no more of the database than one of few', async () => {
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  try {
    const fill = async (from: number, to: number) => {
      const moment = `timestamptz '2026-01-01Z' + (n + ${from}) * interval '1 year' / ${MANY}`;
      // As many ended orders as others; the others have an externalId each.
      await insertOrders(sql, to - from, moment, 1);
      await sql.query(
        `update orders set ended_as = case when status = 'fulfilled' then 'expired' else 'canceled' end, ended_at = created_at
          where ended_as is null and external_id is null`,
      );
      await insertOrders(sql, to - from, moment);
      await sql.query(
        `update orders o set external_id = 'order-' || (n + $1)
           from (select id, row_number() over (order by created_at, id) as n
                   from orders where ended_as is null and external_id is null) numbered
          where o.id = numbered.id`,
        [from],
      );
      await insertCharges(sql, to - from, moment);
      await mergeCounts({ db });
      await sql.query('vacuum (analyze) orders, charges, list_counts, list_changes');
    };
    await fill(0, FEW);
    const few = await measure(FEW);
    await fill(FEW, MANY);
    const many = await measure(MANY);
    const firstOfFew = Math.max(few.get('orders, first page')!, few.get('charges, first page')!);
    for (const [name, touched] of many) {
      const most = MOST_TIMES_FEW * Math.max(few.get(name)!, firstOfFew);
      assert(touched <= most, `${name}: ${few.get(name)} pages of the database among few rows, ${touched} among many`);
    }
    if (process.env['LIST_ROWS'])
      console.table([...many].map(([name, touched]) => ({ name, few: few.get(name), many: touched })));
  } finally {
    await db.close();
  }
});
