// Listing charges: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { type ChargeQuery, readChargePage } from './store-list.ts';
import { chargeView } from './view.ts';

export async function listCharges({ db }: { readonly db: Sql }, query: ChargeQuery) {
  const { charges, total } = await readChargePage(db, query);
  return { charges: charges.map(chargeView), ...countPages(total, query) };
}
