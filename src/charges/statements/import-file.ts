// Imports the file of a bank statement, and keeps a record of it.
import { createHash } from 'node:crypto';
import { currentAuditContext, setAuditObject } from '../../lib/audit-context.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { countPages, type PageQuery } from '../../lib/paging.ts';
import { readStatement, type StatementFormat, type StatementOptions } from '../../rails/statement/statement.ts';
import type { StatementFault } from '../../rails/statement/statement-line.ts';
import type { Sql } from '../../storage/database.ts';
import { type Import, type ImportDeps, importStatement } from './statement.ts';
import { insertImport, readImportPage, type StatementImport } from './store-imports.ts';

type StatementFile = {
  readonly bytes: Buffer;
  readonly format: StatementFormat;
  readonly options?: StatementOptions;
};

type ImportedFile = {
  readonly record: StatementImport;
  readonly duplicates: Import['duplicates'];
  readonly faults: readonly StatementFault[];
};

/**
 * Imports every entry that can be read. Throws a StatementError if the file is not a statement. Importing a file again is safe; the record
 * is written last, so a crash leaves no record and the repeat writes it.
 */
export async function importFile(deps: ImportDeps, { bytes, format, options }: StatementFile): Promise<ImportedFile> {
  const { entries, faults } = readStatement(bytes, format, options);
  const { counts, duplicates } = await importStatement(deps, entries);
  const importedAt = deps.clock.now();
  const record: StatementImport = {
    id: uuidV7(importedAt),
    importedAt,
    importedBy: currentAuditContext()?.actor ?? 'operator',
    format,
    digest: createHash('sha256').update(bytes).digest('hex'),
    counts,
    faults: faults.length,
  };
  await deps.db.transaction(async tx => {
    setAuditObject(record.id);
    await insertImport(tx, record);
  });
  return { record, duplicates, faults };
}

/** Imported statements, newest first. */
export async function listImports({ db }: { readonly db: Sql }, query: PageQuery) {
  const { imports, total } = await readImportPage(db, query);
  return { statements: imports.map(importView), ...countPages(total, query) };
}

export function importView({ importedAt, counts, ...record }: StatementImport) {
  return { ...record, importedAt: importedAt.toISOString(), counts: { ...counts } };
}
