// Rows of the counted lists for tests, in any number, and the same pages read the slow way: by counting and skipping.
import type { PageQuery } from '../../src/lib/paging.ts';
import type { Row, Sql } from '../../src/storage/database.ts';
import { pageSql } from '../../src/storage/page.ts';

/** SQL of a moment for row `n`, of whole milliseconds. */
type MomentSql = string;

/** Orders of crypto: `n` counts from 1; accounts, symbols and statuses vary with it. */
export async function insertOrders(sql: Sql, count: number, moment: MomentSql, salt = 0): Promise<void> {
  await sql.query(
    `insert into orders (
       id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address, wallet_name,
       settlement_schedule, settlement_date, created_at, updated_at)
     select gen_random_uuid(), 'account-' || (n + $2) % 7 % 4,
            (array['pending_payment', 'pending_fulfillment', 'fulfillment_scheduled', 'fulfilling'] ||
             array_fill('fulfilled'::text, array[9]))[1 + (n * 5 + $2) % 13],
            symbol, case symbol when 'trx' then 'tron' else 'ethereum' end, 1, 'BRL', 5.4, 5.4, 'w', '0x0', 'Treasury',
            'D0', at, at, at
       from generate_series(1, $1::int) n
      cross join lateral (select (array['usdt', 'usdt', 'usdt', 'usdc', 'usdc', 'eth', 'trx'])[1 + (n * 3 + $2) % 7] as symbol,
                                 date_trunc('milliseconds', ${moment}) as at) s`,
    [count, salt],
  );
}

/** Charges; every third has no source key. */
export async function insertCharges(sql: Sql, count: number, moment: MomentSql, salt = 0): Promise<void> {
  await sql.query(
    `insert into charges (
       id, account_id, source_key, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash, answer,
       created_at, state)
     select gen_random_uuid(), 'account-' || (n + $2) % 7 % 4,
            case when n % 3 > 0 then 'source-' || (n * 7 + $2) % 11 % 5 end, 100, 'BRL', 100,
            '{"name": "A", "document": "52998224725", "type": "individual"}', at, at, '', '{}', at,
            (array['CREATING', 'ACTIVE', 'ACTIVE', 'PAID', 'PAID', 'SETTLED', 'EXPIRED'])[1 + (n * 5 + $2) % 7]
       from generate_series(1, $1::int) n
      cross join lateral (select date_trunc('milliseconds', ${moment}) as at) s`,
    [count, salt],
  );
}

/** What a page must hold: counted and skipped row by row. */
export async function readByCounting(
  sql: Sql,
  list: 'orders' | 'ended_orders' | 'charges',
  query: PageQuery,
  equals: Readonly<Record<string, unknown>>,
): Promise<{ total: number; ids: string[] }> {
  const [table, listed] = {
    orders: ['orders', 'ended_as is null'],
    ended_orders: ['orders', 'ended_as is not null'],
    charges: ['charges', 'true'],
  }[list];
  const { where, limit, offset, values } = pageSql(query, equals, listed);
  const [row] = await sql.query<{ total: string; ids: string[] }>(
    `select (select count(*) from ${table} ${where}) as total,
            array(select id from ${table} ${where} order by created_at desc, id desc limit ${limit} offset ${offset}) as ids`,
    values.slice(0, -1),
  );
  return { total: Number(row!.total), ids: row!.ids };
}

/** Counts that differ from the rows of the tables, and parts of a bucket that is not split. */
export function wrongCounts(sql: Sql): Promise<Row[]> {
  return sql.query(
    `with listed as (
       select 'orders' as list, account_id, label, state, tick_of(created_at) as tick from listed_orders
       union all
       select 'ended_orders', account_id, label, state, tick_of(created_at) from listed_ended_orders
       union all
       select 'charges', account_id, label, state, tick_of(created_at) from listed_charges),
     counted as (
       select t.list, case when by_account then account_id else '' end as account_id,
              case when by_label then label else '' end as label, case when by_state then state else '' end as state,
              level, tick >> bucket_bits(level) as bucket, count(*) as true_count
         from listed t join list_rollups r on r.list = t.list and (label is not null or not by_label)
        cross join generate_series(0, 6) level
        group by 1, 2, 3, 4, 5, 6)
     select n.*, counted.true_count
       from list_counts n left join counted using (list, account_id, label, state, level, bucket)
      where n.row_count is distinct from counted.true_count
         or n.level > 0 and not exists (
              select from list_counts w
               where w.list = n.list and w.account_id = n.account_id and w.label = n.label and w.state = n.state
                 and w.level = n.level - 1 and w.is_split
                 and w.bucket = n.bucket >> (bucket_bits(n.level - 1) - bucket_bits(n.level)))`,
  );
}
