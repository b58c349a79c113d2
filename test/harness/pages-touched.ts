// How many pages of the database the real statements of a read touch.
import type { Row, Sql } from '../../src/storage/database.ts';

type Plan = { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } };

/** Repeats `read` until PostgreSQL caches every plan, and returns how many pages the last run touched. */
export async function pagesTouched(sql: Sql, read: (sql: Sql) => Promise<unknown>): Promise<number> {
  let touched = 0;
  const explained: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) => {
      const [row] = await sql.query<{ 'QUERY PLAN': [Plan] }>(
        `explain (analyze, buffers, format json) ${text}`,
        values,
      );
      const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': fromDisk } = row!['QUERY PLAN'][0].Plan;
      touched = hit + fromDisk;
      return sql.query<R>(text, values);
    },
  };
  for (let warm = 0; warm < 3; warm++) await read(explained);
  return touched;
}
