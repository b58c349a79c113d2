// Listing crypto transactions: filtered, paged, with an exact total. PostgreSQL writes the JSON, so that a decimal reaches
// the wire as it is stored, and total and rows come from one snapshot.
import { isLater } from '../lib/date-times.ts';
import { type Fault, invalidRequest } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { readPage } from './store.ts';
import type { ListQuery } from './transaction.ts';

export function checkListQuery({ from, to }: Partial<ListQuery>): Fault[] {
  if (!from || !to || !isLater(from, to)) return [];
  return [
    { path: 'from', code: 'after_to', message: 'must not be later than to' },
    { path: 'to', code: 'before_from', message: 'must not be earlier than from' },
  ];
}

/** One page as JSON text: `{ transactions, total, totalPages, currentPage, hasMore }`. */
export async function listTransactions({ db }: { db: Sql }, query: ListQuery): Promise<string> {
  const faults = checkListQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  return readPage(db, query);
}
