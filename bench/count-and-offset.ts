// The usual way to page, for comparison: every row that matches is counted, every row before the page is walked over. One
// statement through the driver, with the JSON made by PostgreSQL as the service does; it has the service's indexes.
import type pg from 'pg';
import type { Query } from './queries.ts';

/** Returns the total. */
export async function countAndOffset(client: pg.Client, { filter, page, pageSize }: Query): Promise<number> {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    'ended_as is null',
    ...(filter.symbol === undefined ? [] : [`symbol = ${parameter(filter.symbol)}`]),
    ...(filter.status === undefined ? [] : [`status = ${parameter(filter.status)}`]),
    ...(filter.from === undefined ? [] : [`created_at >= ${parameter(filter.from)}::timestamptz`]),
    ...(filter.to === undefined ? [] : [`created_at <= ${parameter(filter.to)}::timestamptz`]),
  ].join(' and ');
  const { rows } = await client.query<{ total: string }>(
    `with matching as materialized (select count(*) as total from crypto_transactions where ${conditions}),
          page as (select * from crypto_transactions where ${conditions} order by created_at desc, id desc
                    limit ${parameter(pageSize)} offset ${parameter((page - 1) * pageSize)})
     select total, coalesce((select json_agg(row_to_json(t) order by t."createdAt" desc, t."transactionId" desc) from (
              select id as "transactionId", status, trim_scale(quantity) as quantity, trim_scale(cost) as cost,
                     trim_scale(price) as price, network, symbol, currency, wallet_id as "walletId",
                     wallet_address as "walletAddress", wallet_name as "walletName",
                     settlement_schedule as "settlementSchedule", iso_utc(settlement_date) as "settlementDate",
                     iso_utc(created_at) as "createdAt", iso_utc(updated_at) as "updatedAt" from page) t), '[]')::text as body
       from matching`,
    values,
  );
  return Number(rows[0]!.total);
}
