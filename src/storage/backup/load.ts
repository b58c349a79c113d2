// Restores a backup into a database without a schema: our migrations create the tables, the parts fill them. All of it is one transaction,
// so a damaged backup leaves nothing behind.
import { StartError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Mode } from '../../lib/mode.ts';
import type { Database, Sql } from '../database.ts';
import { applyMigrations } from '../migrate.ts';
import { isOfBaseline, type Migration, readMigrations } from '../migrations.ts';
import { isLastSnapshot, isUnknownSnapshot, WAY_OF_SNAPSHOTS } from '../upgrade.ts';
import { PLAIN_TEXT, readForeignKeys, readTables, type Table } from './catalogue.ts';
import {
  type Entry,
  HEADER,
  type Header,
  MANIFEST,
  type Part,
  readHeader,
  readManifest,
  rowsOf,
  sha256Of,
} from './format.ts';

/** Restores the rows of an extra source of the dump. */
export type ExtraTarget = { readonly name: string; load(tx: Sql, rows: readonly (string | null)[][]): Promise<void> };

type Loaded = {
  readonly header: Header;
  readonly rows: number;
  /** Tables of the backup that are not ours; their rows are not restored. */
  readonly skipped: readonly string[];
};

/** A backup whose header was read and that this version can restore. */
export type OpenBackup = {
  readonly header: Header;
  readonly headerEntry: Entry;
  /** The entries after the header. */
  readonly rest: AsyncIterator<Entry>;
};

type LoadOptions = {
  readonly extras: readonly ExtraTarget[];
  /** Runs in the same transaction, after all rows: a crash cannot leave the rows without it. */
  readonly finish?: (tx: Sql) => Promise<void>;
};

/** Needs no database. Refuses anything that is not a backup, one of a newer version, and one of another mode than `mode`, if given. */
export async function openBackup(entries: AsyncIterable<Entry>, mode?: Mode): Promise<OpenBackup> {
  const rest = entries[Symbol.asyncIterator]();
  const headerEntry = await next(rest);
  if (headerEntry.name !== HEADER) throw damaged(`it begins with ${headerEntry.name}`);
  const header = readHeader(headerEntry.bytes);
  if (mode !== undefined && header.mode !== mode) {
    throw new StartError(`The backup is of a ${header.mode} service and cannot be restored in ${mode}.`);
  }
  await migrationsOf(header);
  return { header, headerEntry, rest };
}

/** Refuses a database that is not empty, and a backup that is damaged or incomplete. */
export async function loadBackup(
  { db, log }: { readonly db: Database; readonly log: Log },
  backup: OpenBackup,
  options: LoadOptions,
): Promise<Loaded> {
  let hasBegun = false;
  return db.transaction(
    async tx => {
      // The entries may come from a stream, which cannot be read again.
      if (hasBegun) throw new StartError('The connection to the database was lost during the restore; start it again.');
      hasBegun = true;
      await tx.query(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;${PLAIN_TEXT}`,
      );
      await requireEmpty(tx);
      return load(tx, log, backup, options);
    },
    { isLong: true },
  );
}

/**
 * A restore never mixes a backup with other data, and it empties every table of the schema first, so the database must be empty. Objects
 * of extensions do not count, nor do indexes, which belong to a table.
 */
export async function requireEmpty(sql: Sql): Promise<void> {
  const [found] = await sql.query<{ name: string }>(
    `select c.relname as name
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
        and not exists (select from pg_depend d
                         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      order by c.relname <> 'schema_migrations', c.relkind in ('S'), c.relname collate "C"
      limit 1`,
  );
  if (!found) return;
  const content = found.name === 'schema_migrations' ? 'data' : found.name;
  throw new StartError(`This database has ${content} already: a backup is restored into an empty one only.`);
}

async function load(tx: Sql, log: Log, backup: OpenBackup, options: LoadOptions): Promise<Loaded> {
  const { header, headerEntry, rest } = backup;
  await applyMigrations(tx, await migrationsOf(header), log);
  const tables = new Map((await readTables(tx)).map(table => [table.name, table]));
  const foreignKeys = await readForeignKeys(tx);
  // Rows come in any order, and a trigger would repeat an effect that the backup already has. Foreign keys are checked at the end,
  // all rows of a table at once.
  for (const { table, name } of foreignKeys) await tx.query(`alter table ${table} drop constraint ${name}`);
  for (const { quoted } of tables.values()) await tx.query(`alter table ${quoted} disable trigger user`);
  await tx.query(`truncate ${[...tables.values()].map(({ quoted }) => quoted).join(', ')}`);

  const targets = targetsOf(header, tables, options.extras);
  const parts = await loadParts(tx, rest, headerEntry, targets);

  await setSequences(tx, header, tables);
  for (const { quoted } of tables.values()) await tx.query(`alter table ${quoted} enable trigger user`);
  for (const { table, name, definition } of foreignKeys) {
    await tx.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  // Transaction ids of the other server mean nothing here: every pending change of a list is read.
  await tx.query(`update list_merge set merged_before = '0'`);
  await applyMigrations(tx, await readMigrations(), log);
  await options.finish?.(tx);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  return { header, rows, skipped: [...targets].flatMap(([name, target]) => (target ? [] : name)) };
}

type Target = (rows: readonly string[]) => Promise<void>;

/** How the rows of each table of the backup are written; undefined for a table that is not ours. */
function targetsOf(
  header: Header,
  tables: ReadonlyMap<string, Table>,
  extras: readonly ExtraTarget[],
): Map<string, ((tx: Sql) => Target) | undefined> {
  return new Map(
    header.tables.map(({ name, columns }) => {
      const extra = extras.find(candidate => candidate.name === name);
      if (extra)
        return [
          name,
          tx => rows =>
            extra.load(
              tx,
              rows.map(row => JSON.parse(row)),
            ),
        ] as const;
      const table = tables.get(name);
      return [name, table && (tx => insertRows(tx, table, columns))] as const;
    }),
  );
}

function insertRows(tx: Sql, { name, quoted, columns }: Table, saved: readonly string[]): Target {
  const known = new Map(columns.map(column => [column.name, column]));
  const missing = columns.filter(column => !saved.includes(column.name)).map(column => column.name);
  const unknown = saved.filter(column => !known.has(column));
  const odd = [...missing, ...unknown];
  // The migrations are the same, so the table was changed by hand.
  if (odd.length > 0) throw new StartError(`The table ${name} of the backup has other columns: ${odd.join(', ')}.`);
  const targets = saved.flatMap(column => known.get(column) ?? []);
  const names = targets.map(column => column.quoted).join(', ');
  const values = targets.map(({ type }, place) => `(row ->> ${place})::${type}`).join(', ');
  const text = `insert into ${quoted} (${names}) overriding system value select ${values} from jsonb_array_elements($1::jsonb) row`;
  return async rows => {
    await tx.query(text, [`[${rows.join(',')}]`]);
  };
}

/** Reads parts up to the manifest, and compares the two: a changed, missing or extra part is refused. */
async function loadParts(
  tx: Sql,
  entries: AsyncIterator<Entry>,
  header: Entry,
  targets: ReadonlyMap<string, ((tx: Sql) => Target) | undefined>,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (;;) {
    const entry = await next(entries);
    if (entry.name === MANIFEST) {
      const manifest = readManifest(entry.bytes);
      if (manifest.headerSha256 !== sha256Of(header.bytes)) throw damaged(`${HEADER} was changed`);
      compareParts(manifest.parts, parts);
      return parts;
    }
    const [table = ''] = entry.name.split('.');
    if (!targets.has(table)) throw damaged(`${entry.name} belongs to no table of it`);
    const rows = rowsOf(entry);
    await targets.get(table)?.(tx)(rows);
    parts.push({
      name: entry.name,
      table,
      rows: rows.length,
      bytes: entry.bytes.length,
      sha256: sha256Of(entry.bytes),
    });
  }
}

export function compareParts(expected: readonly Part[], found: readonly Part[]): void {
  for (const [place, part] of expected.entries()) {
    const other = found[place];
    if (other?.name !== part.name) throw damaged(`${part.name} is missing`);
    if (other.sha256 !== part.sha256) throw damaged(`${part.name} was changed`);
    if (other.rows !== part.rows) throw damaged(`${part.name} has ${other.rows} rows instead of ${part.rows}`);
  }
  const extra = found[expected.length];
  if (extra) throw damaged(`${extra.name} is not in its manifest`);
}

/** The migrations that make the backup's tables, as this version has them. */
async function migrationsOf({ migrations, version }: Header): Promise<readonly Migration[]> {
  const all = await readMigrations();
  const saved = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  if (isLastSnapshot(saved)) return all.filter(isOfBaseline);
  if (isUnknownSnapshot(saved)) {
    throw new StartError(
      `The backup is of a development version between 0.2.0 and 1.0.0: restore it with that version, then ${WAY_OF_SNAPSHOTS}`,
    );
  }
  const known = new Map(all.map(migration => [migration.name, migration]));
  return migrations.map(({ name, sha256 }) => {
    const migration = known.get(name);
    if (migration?.sha256 === sha256) return migration;
    const why = migration ? 'has with another text' : 'does not have';
    throw new StartError(`The backup needs the migration ${name}, which this version ${why}: use Trilho ${version}.`);
  });
}

async function setSequences(tx: Sql, { sequences }: Header, tables: ReadonlyMap<string, Table>): Promise<void> {
  for (const { table, column, last } of sequences) {
    const target = tables.get(table);
    if (!target) continue;
    await tx.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3::bigint)', [
      target.quoted,
      column,
      last,
    ]);
  }
}

async function next(entries: AsyncIterator<Entry>): Promise<Entry> {
  const { value, done } = await entries.next();
  if (done) throw damaged('its end is missing');
  return value;
}

export function damaged(why: string): StartError {
  return new StartError(`The backup is damaged: ${why}.`);
}
