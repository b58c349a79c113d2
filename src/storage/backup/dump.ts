// Writes a backup: every table in one snapshot, while the service runs. Rows are read through a cursor, so memory stays flat.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { StartError } from '../../lib/errors.ts';
import type { Mode } from '../../lib/mode.ts';
import type { Database, Sql } from '../database.ts';
import { PLAIN_TEXT, readSequences, readTables, type Table } from './catalogue.ts';
import {
  type Entry,
  FORMAT_VERSION,
  HEADER,
  type Header,
  MANIFEST,
  type Manifest,
  PART_BYTES,
  type Part,
  partName,
  sha256Of,
  toEntry,
} from './format.ts';

/** Rows outside our tables that belong in a backup, such as waiting jobs. */
export type ExtraSource = { readonly name: string; readonly columns: readonly string[]; readonly from: string };

export type Dumped = { readonly header: Header; readonly manifest: Manifest };

type Source = { readonly name: string; readonly columns: readonly string[]; readonly from: string };

/** Rows of a fetch: few at first, then enough for about one part, since some tables have rows of a megabyte. */
const FIRST_FETCH_ROWS = 16;
const MAX_FETCH_ROWS = 2_000;
/** Fast, and within a tenth of the size at the best level. */
const GZIP_LEVEL = 4;

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);

/**
 * Hands every entry to `write`, in the order in which a restore reads them. It locks nothing that a writer needs, changes nothing, and
 * works on a standby too.
 */
export async function dumpDatabase(
  db: Database,
  { version, extras }: { readonly version: string; readonly extras: readonly ExtraSource[] },
  write: (entry: Entry) => Promise<void>,
): Promise<Dumped> {
  let hasBegun = false;
  return db.transaction(
    async tx => {
      // Written entries cannot be taken back, so the transaction is not retried.
      if (hasBegun) throw new StartError('The connection to the database was lost during the backup; start it again.');
      hasBegun = true;
      // A slow reader of the stream must not end the snapshot.
      await tx.query(
        `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;${PLAIN_TEXT}`,
      );
      const sources = [...(await readTables(tx)).map(sourceOf), ...extras];
      const header = await readState(tx, version, sources);
      const headerEntry = toEntry(HEADER, header);
      await write(headerEntry);
      const parts: Part[] = [];
      for (const source of sources) parts.push(...(await dumpSource(tx, source, write)));
      const manifest: Manifest = { headerSha256: sha256Of(headerEntry.bytes), parts };
      await write(toEntry(MANIFEST, manifest));
      return { header, manifest };
    },
    { isSnapshot: true, isLong: true },
  );
}

function sourceOf({ name, quoted, columns }: Table): Source {
  return { name, columns: columns.map(column => column.name), from: quoted };
}

async function readState(tx: Sql, version: string, sources: readonly Source[]): Promise<Header> {
  const [state] = await tx.query<{ mode: Mode | null; at: string }>(
    'select (select mode from installation) as mode, iso_utc(now()) as at',
  );
  if (!state?.mode)
    throw new StartError('This database is new and has nothing to back up: start the service once first.');
  const migrations = await tx.query<{ name: string; sha256: string }>(
    'select name, sha256 from schema_migrations order by name',
  );
  const [head] = await tx.query<{ position: string; hash: string }>(
    `select position, encode(hash, 'hex') as hash from audit_log order by position desc limit 1`,
  );
  const sequences = await readSequences(tx);
  return {
    format: 'trilho-backup',
    formatVersion: FORMAT_VERSION,
    version,
    mode: state.mode,
    takenAt: state.at,
    migrations,
    tables: sources.map(({ name, columns }) => ({ name, columns: [...columns] })),
    sequences: sequences.flatMap(({ last, ...of }) => (last === null ? [] : { ...of, last })),
    auditHead: head ? { position: Number(head.position), hash: head.hash } : null,
  };
}

async function dumpSource(tx: Sql, source: Source, write: (entry: Entry) => Promise<void>): Promise<Part[]> {
  const parts: Part[] = [];
  let lines: string[] = [];
  let size = 0;

  async function endPart(): Promise<void> {
    if (lines.length === 0) return;
    const bytes = await compress(Buffer.from(`${lines.join('\n')}\n`), { level: GZIP_LEVEL });
    const entry = { name: partName(source.name, parts.length + 1), bytes };
    await write(entry);
    const { name } = entry;
    parts.push({ name, table: source.name, rows: lines.length, bytes: bytes.length, sha256: sha256Of(bytes) });
    lines = [];
    size = 0;
  }

  const texts = source.columns.map(column => `"${column.replaceAll('"', '""')}"::text`).join(', ');
  await tx.query(
    `declare saved_rows no scroll cursor for select array_to_json(array[${texts}])::text as line from ${source.from}`,
  );
  for (let count = FIRST_FETCH_ROWS, isMore = true; isMore; ) {
    const rows = await tx.query<{ line: string }>(`fetch ${count} from saved_rows`);
    let fetchedBytes = 0;
    for (const { line } of rows) {
      const bytes = Buffer.byteLength(line);
      fetchedBytes += bytes;
      lines.push(line);
      size += bytes;
      if (size >= PART_BYTES) await endPart();
    }
    isMore = rows.length === count;
    const fitting = Math.floor((PART_BYTES * rows.length) / Math.max(1, fetchedBytes));
    // Later rows may be larger than these.
    count = Math.min(MAX_FETCH_ROWS, 2 * count, Math.max(1, fitting));
  }
  await tx.query('close saved_rows');
  await endPart();
  return parts;
}
