// Listing charges: filtered, paged, with an exact total; total and rows come from one snapshot.
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery, countPages, type PageCounts, type PageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import type { ChargeState } from './charge.ts';
import { readChargePage } from './store.ts';
import { type ChargeView, chargeView } from './view.ts';

export type ChargeQuery = PageQuery & {
  readonly accountId?: string;
  readonly state?: ChargeState;
  readonly externalId?: string;
  readonly sourceKey?: string;
};

export type ChargePage = PageCounts & { readonly charges: readonly ChargeView[] };

export async function listCharges({ db }: { db: Sql }, query: ChargeQuery): Promise<ChargePage> {
  const faults = checkPageQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  const { charges, total } = await readChargePage(db, query);
  return { charges: charges.map(chargeView), ...countPages(total, query) };
}
