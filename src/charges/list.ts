// Listing charges: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import type { Links } from './links/links.ts';
import { type ChargeFilter, readFilteredCharges } from './store/filtered.ts';
import { type ChargeQuery, readChargePage } from './store/list.ts';
import { chargeView } from './view.ts';

export async function listCharges({ db, links }: { readonly db: Sql; readonly links: Links }, query: ChargeQuery) {
  const { charges, total } = await readChargePage(db, query);
  return { charges: charges.map(charge => chargeView(links, charge)), ...countPages(total, query) };
}

/** The same with filters that have no kept counts: the total covers only the charges that were searched, back to `searchedTo`. */
export async function listFilteredCharges(
  { db, links }: { readonly db: Sql; readonly links: Links },
  query: ChargeQuery,
  filter: ChargeFilter,
) {
  const { rows, total, searchedTo } = await readFilteredCharges(db, query, filter);
  const charges = rows.map(charge => chargeView(links, charge));
  return { charges, ...countPages(total, query), ...(searchedTo && { searchedTo }) };
}
