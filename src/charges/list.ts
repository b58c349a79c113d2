// Listing charges: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import type { Links } from './links.ts';
import { type ChargeQuery, readChargePage } from './store-list.ts';
import { chargeView } from './view.ts';

export async function listCharges({ db, links }: { readonly db: Sql; readonly links: Links }, query: ChargeQuery) {
  const { charges, total } = await readChargePage(db, query);
  return { charges: charges.map(charge => chargeView(links, charge)), ...countPages(total, query) };
}
