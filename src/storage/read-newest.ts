// A page of a list that is newest first, with its exact total, in one statement: both are from one snapshot.
import type { PageQuery } from '../lib/paging.ts';
import type { Sql } from './database.ts';
import { pageSql } from './page.ts';

type Listed<R, T> = {
  /** The table, with `id` and `created_at`; it may have an alias. */
  readonly from: string;
  readonly columns: string;
  /** Columns with their required values; an undefined value adds no condition. */
  readonly equals: Readonly<Record<string, unknown>>;
  readonly read: (row: R) => T;
};

export async function readNewest<R extends { readonly id: unknown }, T>(
  sql: Sql,
  query: PageQuery,
  { from, columns, equals, read }: Listed<R, T>,
): Promise<{ rows: T[]; total: number }> {
  const { where, limit, offset, values } = pageSql(query, equals);
  const rows = await sql.query<R & { total: string }>(
    `with found as not materialized (select id, created_at from ${from} ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, shown.*
       from (select count(*) as total from found) counted
       left join (select ${columns} from ${from} where id in (select id from page)) shown on true
      order by shown.created_at desc, shown.id desc`,
    // The last value is the page number, which this statement does not use.
    values.slice(0, -1),
  );
  return { rows: rows.filter(row => row.id !== null).map(read), total: Number(rows[0]!.total) };
}
