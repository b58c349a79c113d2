// Lists whose rows are counted beforehand: any page at any depth, with an exact total, in the same short time. The counting
// is PostgreSQL's own work: migrations/0030_list_counts.sql and docs/decisions/0024-exact-pages.md.
import type { PageQuery } from '../lib/paging.ts';

/** The tables that are counted. */
export type CountedList = 'crypto_transactions' | 'charges';

/** What the rows of a list may be narrowed to: the columns of its view `…_listed`. */
export type CountedFilter = {
  readonly a?: string | undefined;
  readonly b?: string | undefined;
  readonly c?: string | undefined;
};

/**
 * A part of a statement, `found`, with the `total` of what matches and the `ids` on the page; the rows that the statement
 * reads by these ids are of the same snapshot. It takes the parameters $1 to $8, of which $8 is the size of a page.
 */
export const FOUND = `found as materialized (
  select total, ids from find_page($1, $2, $3, $4, moment_of($5), moment_of($6), $7, $8))`;

export function foundValues(list: CountedList, { a = '', b = '', c = '' }: CountedFilter, query: PageQuery): unknown[] {
  // Rows lie on whole milliseconds, so a bound between two of them moves to the one inside the range.
  const { from, to, page, pageSize } = query;
  return [list, a, b, c, from?.ceilMs, to?.floorMs, BigInt(page - 1) * BigInt(pageSize), pageSize];
}
