// Paging on the wire: the parameters and the counts that every list has.
import { type Static, Type } from 'typebox';
import { parseUtc } from '../lib/date-times.ts';
import { MAX_PAGE_SIZE, type PageQuery } from '../lib/paging.ts';
import { UtcDateTime } from './schemas.ts';

export const pageParameters = {
  from: Type.Optional(UtcDateTime({ description: 'Created at this moment or later, in UTC: `2024-02-29T10:30Z`.' })),
  to: Type.Optional(UtcDateTime({ description: 'Created at this moment or earlier, in UTC.' })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, description: '20 unless configured otherwise.' }),
  ),
};

export const pageCounts = {
  total: Type.Integer({ minimum: 0, description: 'How many match, exactly.' }),
  totalPages: Type.Integer({ minimum: 0 }),
  currentPage: Type.Integer({ minimum: 1, description: 'The page as asked for, also past the end.' }),
  hasMore: Type.Boolean(),
};

const parameters = Type.Object(pageParameters);

export function toPageQuery(clean: Static<typeof parameters>, defaultPageSize: number): PageQuery {
  const from = clean.from === undefined ? undefined : parseUtc(clean.from);
  const to = clean.to === undefined ? undefined : parseUtc(clean.to);
  const { page = 1, pageSize = defaultPageSize } = clean;
  return { page, pageSize, ...(from && { from }), ...(to && { to }) };
}
