// Pages and time bounds of lists.
import { isLater, type Moment } from './date-times.ts';
import type { Fault } from './errors.ts';

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

export type PageQuery = {
  /** Bounds of `createdAt`, both inclusive. */
  readonly from?: Moment;
  readonly to?: Moment;
  readonly page: number;
  readonly pageSize: number;
};

/** `from` must not be later than `to`. */
export function checkRange({ from, to }: Pick<PageQuery, 'from' | 'to'>): Fault[] {
  if (!from || !to || !isLater(from, to)) return [];
  return [
    { path: 'from', code: 'after_to', message: 'must not be later than to' },
    { path: 'to', code: 'before_from', message: 'must not be earlier than from' },
  ];
}

/** The counts of every page. */
export type PageCounts = {
  readonly total: number;
  readonly totalPages: number;
  /** The requested page, even past the end. */
  readonly currentPage: number;
  readonly hasMore: boolean;
};

export function countPages(total: number, { page, pageSize }: PageQuery): PageCounts {
  const totalPages = Math.ceil(total / pageSize);
  return { total, totalPages, currentPage: page, hasMore: page < totalPages };
}
