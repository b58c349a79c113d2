// The SQL of the counted lists of orders: open or fulfilled ones, and those that ended unfulfilled.
import type { PageQuery } from '../lib/paging.ts';
import { FOUND_PAGE, pageValues } from '../storage/counted-list.ts';
import type { Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { Ending, ListQuery, Order } from './order.ts';
import { ORDER, type OrderRow, toOrder } from './store.ts';

const ROW_JSON = `
  select id as "transactionId", status, trim_scale(quantity) as quantity, trim_scale(cost) as cost,
         trim_scale(price) as price, network, symbol, currency, wallet_id as "walletId",
         wallet_address as "walletAddress", wallet_name as "walletName",
         settlement_schedule as "settlementSchedule",
         iso_utc(settlement_date) as "settlementDate", iso_utc(created_at) as "createdAt",
         iso_utc(updated_at) as "updatedAt"`;

/** A page, newest first, as JSON; rows and total come from one snapshot. */
export async function readPage(sql: Sql, query: ListQuery): Promise<string> {
  const { found, pageSize, page, values, ...options } = foundBy(query);
  const [row] = await sql.query<{ body: string }>(
    `with ${found},
          counted as (select *, ceil(total / ${pageSize}::numeric)::bigint as pages from found)
     select row_to_json(answer)::text as body
       from (select coalesce((select json_agg(row_to_json(t) order by t."createdAt" desc, t."transactionId" desc)
                                from (${ROW_JSON} from orders where id = any (counted.ids)) t), '[]') as transactions,
                    total, pages as "totalPages", ${page}::bigint as "currentPage", ${page}::bigint < pages as "hasMore"
               from counted) answer`,
    values,
    options,
  );
  return row!.body;
}

/** The CTE `found` of a query, and the parameters that hold the size and the number of its page. */
type Found = {
  readonly found: string;
  readonly pageSize: string;
  readonly page: string;
  readonly values: unknown[];
  readonly name?: string;
};

/** Few orders share an externalId, at most one per account: count them directly. */
function foundBy(query: ListQuery): Found {
  const { accountId, symbol, status, externalId } = query;
  if (externalId === undefined) {
    const values = [...pageValues('orders', { accountId, label: symbol, state: status }, query), query.page];
    return { found: FOUND_PAGE, pageSize: '$8', page: '$9', values, name: 'orders_page' };
  }
  const equals = { external_id: externalId, account_id: accountId, symbol, status };
  const { where, limit, offset, page, values } = pageSql(query, equals, 'ended_as is null');
  const found = `found as materialized (
    select (select count(*) from orders ${where}) as total,
           array(select id from orders ${where} order by created_at desc, id desc limit ${limit} offset ${offset}) as ids)`;
  return { found, pageSize: limit, page, values };
}

/** The accounts of these orders, which the list of crypto transactions does not have. */
export async function readAccountsOf(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ id: string; account_id: string }>(
    'select id, account_id from orders where id = any($1)',
    [ids],
  );
  return new Map(rows.map(({ id, account_id }) => [id, account_id]));
}

export type EndedQuery = PageQuery & { readonly accountId?: string; readonly endedAs?: Ending };

/** A page of orders that ended without being fulfilled, newest first, and how many there are; both from one snapshot. */
export async function readEndedPage(sql: Sql, query: EndedQuery): Promise<{ orders: Order[]; total: number }> {
  const { accountId, endedAs } = query;
  const rows = await sql.query<EndedRow>(
    `with ${FOUND_PAGE},
          page as (${ORDER} where id = any ((select ids from found)::uuid[]))
     select found.total, page.* from found left join page on true order by page.created_at desc, page.id desc`,
    pageValues('ended_orders', { accountId, state: endedAs }, query),
    { name: 'ended_orders_page' },
  );
  return { orders: rows.filter(hasOrder).map(toOrder), total: Number(rows[0]!.total) };
}

/** An empty page is one row with the total alone. */
type EndedRow = { total: string } & (OrderRow | { id: null });

function hasOrder(row: EndedRow): row is { total: string } & OrderRow {
  return row.id !== null;
}
