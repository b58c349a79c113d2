// Listing charges: filtered, paged, with an exact total; total and rows come from one snapshot. PostgreSQL writes the JSON.
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery, countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { taxWarnings } from './lint.ts';
import { type ChargeQuery, type ListedCharge, readChargePage } from './store-list.ts';

/** One page as JSON text: `{ charges, total, totalPages, currentPage, hasMore }`. */
export async function listCharges({ db }: { db: Sql }, query: ChargeQuery): Promise<string> {
  const faults = checkPageQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  const { charges, total } = await readChargePage(db, query);
  const counts = countPages(total, query);
  return `{"charges":[${charges.map(withWarnings).join(',')}],${JSON.stringify(counts).slice(1)}`;
}

/** The warnings are words of ours, not of the database: they are put at the end of what it wrote. */
function withWarnings(charge: ListedCharge): string {
  return `${charge.json.slice(0, -1)},"warnings":${JSON.stringify(taxWarnings(charge))}}`;
}
