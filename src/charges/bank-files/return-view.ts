// How return files are shown, and their list.
import { countPages, type PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import type { ReadReturn } from './read-return.ts';
import { type BoletoReturn, readReturnPage } from './store-returns.ts';

function returnView(file: BoletoReturn) {
  const { id, rail, sequence, madeOn, receivedAt, receivedBy, digest, booked, counts, unseen, warnings, finishedAt } =
    file;
  return {
    id,
    agreement: rail,
    sequence,
    ...(madeOn !== undefined && { madeOn }),
    receivedAt: receivedAt.toISOString(),
    receivedBy,
    digest,
    isFinished: finishedAt !== undefined,
    entries: booked,
    counts: { ...counts },
    unseen,
    warnings: warnings.map(({ line, count, message }) => ({ line, count, message })),
  };
}

/** A file that was just read. */
export function readReturnView({ file, isKnown }: ReadReturn) {
  return { ...returnView(file), isKnown };
}

/** Return files of banks, newest first. */
export async function listReturns(
  { db }: { readonly db: Sql },
  query: PageQuery,
  filter: { readonly agreement?: string } = {},
) {
  const { returns, total } = await readReturnPage(db, query, filter);
  return { returns: returns.map(returnView), ...countPages(total, query) };
}
