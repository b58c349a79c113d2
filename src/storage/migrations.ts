// The files of migrations/ and what a database has recorded of them.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Sql } from './sql.ts';

export type Migration = { readonly name: string; readonly sql: string; readonly sha256: string };

/** The last migration of the baseline of 1.0.0: a database of an older version is first upgraded to it. */
const END_OF_BASELINE = '0018_sandbox.sql';

const FOLDER = new URL('../../migrations/', import.meta.url);
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;

let known: Promise<Migration[]> | undefined;

/** The migrations of this version, read once. */
export function readMigrations(): Promise<Migration[]> {
  known ??= readFolder();
  return known;
}

async function readFolder(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter(name => FILE_NAME.test(name)).sort();
  return Promise.all(
    names.map(async name => {
      const sql = await readFile(new URL(name, FOLDER), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The files of migrations/upgrades/ that run before and after the baseline on a database of `release`. */
export async function readUpgrade(release: string): Promise<readonly [string, string]> {
  const read = (file: string) => readFile(new URL(`upgrades/${release}-${file}.sql`, FOLDER), 'utf8');
  return Promise.all([read('1-set-aside'), read('2-copy-rows')]);
}

export function isOfBaseline({ name }: Migration): boolean {
  return name <= END_OF_BASELINE;
}

/** The checksum of each migration that a database has, by name. */
export type Applied = ReadonlyMap<string, string>;

export async function appliedMigrations(db: Sql): Promise<Applied> {
  const rows = await db.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
  return new Map(rows.map(row => [row.name, row.sha256]));
}

export async function createMigrationTable(db: Sql): Promise<void> {
  const [found] = await db.query<{ name: string | null }>(`select to_regclass('schema_migrations')::text as name`);
  if (found?.name) return;
  try {
    await db.query(`
      create table if not exists schema_migrations (
        name       text primary key,
        sha256     text not null,
        applied_at timestamptz not null default now()
      )`);
  } catch (error) {
    // Two nodes may both pass «if not exists». One creates the table; the other gets a duplicate key, table or type error,
    // depending on how far it came.
    if (!['23505', '42P07', '42710'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}
