// Lists received money that no charge asked for.
import { countPages, type PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readUnmatched } from './store.ts';
import { unmatchedView } from './view.ts';

export async function listUnmatched({ db }: { readonly db: Sql }, query: PageQuery) {
  const { receipts, total } = await readUnmatched(db, query);
  return { payments: receipts.map(unmatchedView), ...countPages(total, query) };
}
