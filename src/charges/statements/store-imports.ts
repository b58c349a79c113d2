// The SQL of imported statements.
import type { PageQuery } from '../../lib/paging.ts';
import type { StatementFormat } from '../../rails/statement/statement.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { ImportCounts } from './statement.ts';

export type StatementImport = {
  readonly id: string;
  readonly importedAt: Date;
  readonly importedBy: string;
  readonly format: StatementFormat;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string;
  readonly counts: ImportCounts;
  /** Lines that could not be read. */
  readonly faults: number;
};

const toImport = recordOf<StatementImport>('id, imported_at, imported_by, format, digest, counts, faults');

export async function insertImport(tx: Sql, done: StatementImport): Promise<void> {
  await tx.query(
    `insert into statement_imports (id, imported_at, imported_by, format, digest, counts, faults)
     values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7) on conflict (id) do nothing`,
    [done.id, done.importedAt, done.importedBy, done.format, done.digest, JSON.stringify(done.counts), done.faults],
  );
}

/** A page of imports, newest first, and how many there are. */
export async function readImportPage(
  sql: Sql,
  { page, pageSize }: PageQuery,
): Promise<{ imports: StatementImport[]; total: number }> {
  const rows = await sql.query<{ total: string } & (RowOf<StatementImport> | { id: null })>(
    `select total, page.* from (select count(*) as total from statement_imports) counted
       left join lateral (
         select id, imported_at, imported_by, format, encode(digest, 'hex') as digest, counts, faults
           from statement_imports order by imported_at desc, id desc limit $1 offset $2) page on true
      order by page.imported_at desc, page.id desc`,
    [pageSize, BigInt(page - 1) * BigInt(pageSize)],
  );
  const imports = rows.flatMap(row => (row.id === null ? [] : toImport(row)));
  return { imports, total: Number(rows[0]?.total ?? 0) };
}
