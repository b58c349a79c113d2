// The SQL of the lists of orders filtered by payer or amount. Only documents have an index; for the other filters the newest orders are
// searched, up to a limit, so that a page costs the same however many orders there are.
import { namePattern } from '../charges/plain-name.ts';
import type { ChargeFilter, Filtered } from '../charges/store/filtered.ts';
import { SEARCHED_CHARGES } from '../charges/store/search.ts';
import type { Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { ListQuery, Order } from './order.ts';
import { ORDER, type OrderRow, toOrder } from './store.ts';

/** Open or fulfilled, on hold, and ended without fulfilment. */
export type OrderList = 'going' | 'held' | 'ended';

const CONDITIONS: Readonly<Record<OrderList, string>> = {
  going: 'ended_as is null',
  held: 'hold_reason is not null',
  ended: 'ended_as is not null',
};

export type OrderFilter = Pick<ChargeFilter, 'name' | 'document' | 'fromCents' | 'toCents'>;

/** A page of orders, newest first. An order without a payer yet is matched by its cost, if that is in reais. */
export async function readFilteredOrders(
  sql: Sql,
  list: OrderList,
  query: ListQuery,
  { name, document, fromCents, toCents }: OrderFilter,
): Promise<Filtered<Order>> {
  const { accountId, symbol, status } = query;
  const page = pageSql(query, { account_id: accountId, symbol, status }, CONDITIONS[list]);
  const { where, limit, offset, values } = page;
  // The page number was not given.
  values.pop();
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const ofPayer =
    document === undefined
      ? ''
      : ` and id = any (array(select order_id from charges
                               where customer ->> 'document' = ${parameter(document)} and order_id is not null))`;
  const conditions: string[] = [];
  if (name !== undefined) conditions.push(`name ~ ${parameter(namePattern(name))}`);
  if (fromCents !== undefined) conditions.push(`cents >= ${parameter(fromCents)}`);
  if (toCents !== undefined) conditions.push(`cents <= ${parameter(toCents)}`);
  const searched = parameter(SEARCHED_CHARGES);
  const rows = await sql.query<FilteredRow>(
    `with newest as materialized (
            select id, account_id, charge_id, created_at, case when currency = 'BRL' then cost * 100 end as own_cents
              from orders ${where}${ofPayer} order by created_at desc, id desc limit ${searched}),
          paid as materialized (
            select n.id, n.created_at, coalesce(c.payable_cents, n.own_cents) as cents, c.customer ->> 'name' as name
              from newest n left join charges c on c.id = n.charge_id and c.account_id = n.account_id),
          fitting as materialized (
            select id, created_at from paid${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}),
          found as materialized (
            select (select count(*) from fitting) as total,
                   (select case when count(*) >= ${searched} then min(created_at) end from newest) as searched_to,
                   array(select id from fitting order by created_at desc, id desc limit ${limit} offset ${offset}) as ids),
          page as (${ORDER} where id = any ((select ids from found)::uuid[]))
     select found.total, found.searched_to, page.*
       from found left join page on true order by page.created_at desc, page.id desc`,
    values,
  );
  const { total, searched_to: searchedTo } = rows[0]!;
  return {
    rows: rows.filter(hasOrder).map(toOrder),
    total: Number(total),
    ...(searchedTo !== null && { searchedTo }),
  };
}

/** An empty page is one row without an order. */
type FilteredRow = { total: string; searched_to: Date | null } & (OrderRow | { id: null });

function hasOrder(row: FilteredRow): row is FilteredRow & OrderRow {
  return row.id !== null;
}
