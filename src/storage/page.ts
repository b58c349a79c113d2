// The SQL that the uncounted lists share: conditions with their parameters, limit and offset.
import type { PageQuery } from '../lib/paging.ts';

type PageSql = {
  /** `where …`, or nothing when there is no condition. */
  readonly where: string;
  /** Parameters for the page's size, its offset and its number. */
  readonly limit: string;
  readonly offset: string;
  readonly page: string;
  readonly values: unknown[];
};

/**
 * `equals` maps columns to required values; an undefined value adds no condition. `always` is a fixed condition of the
 * list.
 */
export function pageSql(query: PageQuery, equals: Readonly<Record<string, unknown>>, always?: string): PageSql {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  // Rows have whole milliseconds, so a bound between two milliseconds is rounded to the one inside the range.
  // PostgreSQL multiplies intervals in floating point: seconds stay exact to the year 9999, milliseconds only to 2255.
  const moment = (ms: number) => {
    const at = `${parameter(ms)}::bigint`;
    return `(timestamptz 'epoch' + ${at} / 1000 * interval '1 second' + ${at} % 1000 * interval '1 millisecond')`;
  };
  const conditions = [
    ...(always === undefined ? [] : [always]),
    ...Object.entries(equals).flatMap(([column, value]) =>
      value === undefined ? [] : `${column} = ${parameter(value)}`,
    ),
    ...(query.from ? [`created_at >= ${moment(query.from.ceilMs)}`] : []),
    ...(query.to ? [`created_at <= ${moment(query.to.floorMs)}`] : []),
  ];
  return {
    where: conditions.length > 0 ? `where ${conditions.join(' and ')}` : '',
    limit: parameter(query.pageSize),
    offset: parameter(BigInt(query.page - 1) * BigInt(query.pageSize)),
    page: parameter(query.page),
    values,
  };
}
