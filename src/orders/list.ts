// Lists orders: filtered, paged, with exact totals. PostgreSQL writes the JSON of the list of crypto transactions, so a decimal
// reaches the wire as it is stored. Total and rows of a page come from one snapshot.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import type { ListQuery } from './order.ts';
import { type HeldQuery, readHeldPage } from './store.ts';
import { type OrderFilter, type OrderList, readFilteredOrders } from './store-filtered.ts';
import { type EndedQuery, readEndedPage, readPage } from './store-list.ts';
import { orderView } from './view.ts';

/** One page as JSON text: `{ transactions, total, totalPages, currentPage, hasMore }`. */
export async function listTransactions({ db }: { readonly db: Sql }, query: ListQuery): Promise<string> {
  return readPage(db, query);
}

/** Orders that ended without being fulfilled, newest first. */
export async function listEndedOrders({ db }: { readonly db: Sql }, query: EndedQuery) {
  const { orders, total } = await readEndedPage(db, query);
  return { orders: orders.map(order => orderView(order)), ...countPages(total, query) };
}

/** A list with filters that have no kept counts: the total covers only the orders that were searched, back to `searchedTo`. */
export async function listFilteredOrders(
  { db }: { readonly db: Sql },
  list: OrderList,
  query: ListQuery,
  filter: OrderFilter,
) {
  const { rows, total, searchedTo } = await readFilteredOrders(db, list, query, filter);
  const orders = rows.map(order => orderView(order));
  return { orders, ...countPages(total, query), ...(searchedTo && { searchedTo }) };
}

/** Orders on hold, those held longest first. */
export async function listHeldOrders({ db }: { readonly db: Sql }, query: HeldQuery) {
  const { orders, total } = await readHeldPage(db, query);
  return { orders: orders.map(order => orderView(order)), ...countPages(total, query) };
}
