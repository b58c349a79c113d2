// Listing customers: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type CustomerQuery, readCustomerPage } from './store-list.ts';
import { customerView } from './view.ts';

export async function listCustomers({ db }: { readonly db: Sql }, query: CustomerQuery) {
  const { customers, total } = await readCustomerPage(db, query);
  return { customers: customers.map(customerView), ...countPages(total, query) };
}
