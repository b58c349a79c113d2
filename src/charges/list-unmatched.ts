// Listing money that no charge asked for.
import { countPages, type PageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { readUnmatched, type UnmatchedReceipt } from './store-money.ts';

export async function listUnmatched({ db }: { readonly db: Sql }, query: PageQuery) {
  const { receipts, total } = await readUnmatched(db, query);
  return { payments: receipts.map(unmatchedView), ...countPages(total, query) };
}

function unmatchedView({ amountCents, postedAt, ...rest }: UnmatchedReceipt) {
  return { ...rest, amountCents: Number(amountCents), postedAt: postedAt.toISOString() };
}
