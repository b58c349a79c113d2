// What PostgreSQL read for a piece of work: pages of each statement, and rows of sequential scans.
import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from '../../src/storage/database.ts';
import type { DrillDatabase } from '../database.ts';

/** The pages that each statement of the service touched, in memory or on disk, by its text. */
export type Reads = {
  readonly seconds: number;
  readonly pages: ReadonlyMap<string, number>;
  /** Of each table that was read from end to end. */
  readonly scanned: ReadonlyMap<string, number>;
};

/** A session reports what it read when it has had nothing to do for ten seconds. */
const REPORTED_AFTER_MS = 12_000;

/** Counts the statements of a database from its next start on. */
export async function countStatements({ db, stop, start }: DrillDatabase): Promise<void> {
  await db.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await stop();
  await start();
  await db.query('create extension pg_stat_statements');
}

export async function readsOf(sql: Sql, tables: readonly string[], work: () => Promise<void>): Promise<Reads> {
  const before = await scannedRows(sql, tables);
  await sql.query('select pg_stat_statements_reset()');
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const rows = await sql.query<{ text: string; pages: number }>(
    `select regexp_replace(query, '\\s+', ' ', 'g') as text, sum(shared_blks_hit + shared_blks_read)::float8 as pages
       from pg_stat_statements group by 1 order by 2 desc`,
  );
  const after = await scannedRows(sql, tables);
  const scanned = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const);
  return {
    seconds,
    pages: new Map(rows.map(({ text, pages }) => [text, pages])),
    scanned: new Map(scanned.filter(([, count]) => count > 0)),
  };
}

async function scannedRows(sql: Sql, tables: readonly string[]): Promise<Map<string, number>> {
  await wait(REPORTED_AFTER_MS);
  const rows = await sql.query<{ relname: string; rows: number }>(
    'select relname, seq_tup_read::float8 as rows from pg_stat_user_tables where relname = any($1)',
    [tables],
  );
  return new Map(rows.map(({ relname, rows }) => [relname, rows]));
}
