// Lists disputes: filtered, paged, with an exact total.
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import type { DisputeQuery } from './dispute.ts';
import { readDisputePage } from './store-list.ts';
import { disputeView } from './view.ts';

export async function listDisputes({ db }: { readonly db: Sql }, query: DisputeQuery) {
  const { disputes, total } = await readDisputePage(db, query);
  return { disputes: disputes.map(disputeView), ...countPages(total, query) };
}
