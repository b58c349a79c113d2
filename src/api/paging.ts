// Paging on the wire: the parameters and the counts that every list has.
import assert from 'node:assert/strict';
import { type Static, Type } from 'typebox';
import { type Moment, parseMoment } from '../lib/date-times.ts';
import type { Fault } from '../lib/errors.ts';
import { checkRange, MAX_PAGE_SIZE, type PageQuery } from '../lib/paging.ts';
import { DateTime, UtcDateTime } from './schemas.ts';

export const pageParameters = {
  from: Type.Optional(
    DateTime({ description: 'Created at this moment or later, with any offset; a `+` is written `%2B`.' }),
  ),
  to: Type.Optional(DateTime({ description: 'Created at this moment or earlier, with any offset.' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, description: '20 unless configured otherwise.' }),
  ),
};

/** The same bounds in the format of `GET /crypto/transactions`. */
export const utcRange = {
  from: Type.Optional(UtcDateTime({ description: 'Created at this moment or later, in UTC: `2024-02-29T10:30Z`.' })),
  to: Type.Optional(UtcDateTime({ description: 'Created at this moment or earlier, in UTC.' })),
};

export const pageCounts = {
  total: Type.Integer({ minimum: 0, description: 'The exact number of matches.' }),
  totalPages: Type.Integer({ minimum: 0 }),
  currentPage: Type.Integer({ minimum: 1, description: 'The requested page, even past the end.' }),
  hasMore: Type.Boolean(),
};

/** The counts in examples: a list with one row. */
export const ONE_PAGE = { total: 1, totalPages: 1, currentPage: 1, hasMore: false };

const parameters = Type.Object(pageParameters);
type PageParameters = Static<typeof parameters>;

/** The requested part of a list. */
export function toPageQuery({ page = 1, pageSize, ...range }: PageParameters, defaultPageSize: number): PageQuery {
  return { page, pageSize: pageSize ?? defaultPageSize, ...toRange(range) };
}

/** What the schema of a list cannot express: `from` must not be later than `to`. */
export function checkPage({ query }: { readonly query: Pick<PageParameters, 'from' | 'to'> }): Fault[] {
  return checkRange(toRange(query));
}

function toRange({ from, to }: Pick<PageParameters, 'from' | 'to'>): Pick<PageQuery, 'from' | 'to'> {
  return { ...(from !== undefined && { from: momentOf(from) }), ...(to !== undefined && { to: momentOf(to) }) };
}

/** The moment of a valid DateTime text. */
export function momentOf(text: string): Moment {
  const moment = parseMoment(text);
  assert(moment, 'a schema lets only date-times through');
  return moment;
}
