// Listing crypto transactions: filtered, paged, with an exact total. PostgreSQL writes the JSON, so that a decimal reaches
// the wire as it is stored, and total and rows come from one snapshot.
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { readPage } from './store.ts';
import type { ListQuery } from './transaction.ts';

/** One page as JSON text: `{ transactions, total, totalPages, currentPage, hasMore }`. */
export async function listTransactions({ db }: { db: Sql }, query: ListQuery): Promise<string> {
  const faults = checkPageQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  return readPage(db, query);
}
