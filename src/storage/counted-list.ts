// Lists with precomputed counts: any page at any depth, with an exact total, in about the same short time. PostgreSQL
// keeps the counts: migrations/0015_list_counts.sql to 0017_list_pages.sql, explained in
// docs/decisions/0024-exact-pages.md.
import type { PageQuery } from '../lib/paging.ts';

/** The lists that are counted, by their views `listed_…`. */
type CountedList = 'orders' | 'ended_orders' | 'charges';

/** The filters of a list: the columns of its view. */
type CountedFilter = {
  readonly accountId?: string | undefined;
  /** The symbol of an order, the source key of a charge. */
  readonly label?: string | undefined;
  /** The status of an order, the ending of an ended one, the state of a charge. */
  readonly state?: string | undefined;
};

/**
 * A CTE, `found`, with one row: the `total` of matching rows and the `ids` on the page. Rows that the same statement
 * reads by these ids come from the same snapshot. It takes the parameters $1 to $8 of `pageValues`; $8 is the page size.
 */
export const FOUND_PAGE = `found as materialized (
  select total, ids from find_list_page($1, $2, $3, $4, from_epoch_ms($5), from_epoch_ms($6), $7, $8))`;

/** The parameters $1 to $8 of `FOUND_PAGE`. */
export function pageValues(
  list: CountedList,
  { accountId = '', label = '', state = '' }: CountedFilter,
  { from, to, page, pageSize }: PageQuery,
): unknown[] {
  // Rows have whole milliseconds, so a bound between two milliseconds is rounded to the one inside the range.
  return [list, accountId, label, state, from?.ceilMs, to?.floorMs, BigInt(page - 1) * BigInt(pageSize), pageSize];
}
