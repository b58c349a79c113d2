// Paging by count(*) and offset, for comparison: PostgreSQL counts every matching row and skips every row before the page.
// One statement through the driver; PostgreSQL builds the JSON, as it does for the service, and has the same indexes.
import type pg from 'pg';
import type { Query } from './list-queries.ts';

/** Returns the total. */
export async function countAndOffset(client: pg.Client, { filter, page, pageSize }: Query): Promise<number> {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    'ended_as is null',
    ...(filter.accountId === undefined ? [] : [`account_id = ${parameter(filter.accountId)}`]),
    ...(filter.symbol === undefined ? [] : [`symbol = ${parameter(filter.symbol)}`]),
    ...(filter.status === undefined ? [] : [`status = ${parameter(filter.status)}`]),
    ...(filter.from === undefined ? [] : [`created_at >= ${parameter(filter.from)}::timestamptz`]),
    ...(filter.to === undefined ? [] : [`created_at <= ${parameter(filter.to)}::timestamptz`]),
  ].join(' and ');
  const { rows } = await client.query<{ total: string }>(
    `with matching as materialized (select count(*) as total from orders where ${conditions}),
          page as (select * from orders where ${conditions} order by created_at desc, id desc
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
