// The format of a backup: `header.json` first, then parts with the rows of the tables, `manifest.json` last. A part is gzipped
// NDJSON: a row on each line, as a JSON array of the text that PostgreSQL writes for each column, or null.
import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { type Static, type TSchema, Type } from 'typebox';
import { StartError } from '../../lib/errors.ts';
import { MODES } from '../../lib/mode.ts';
import { checkSchema } from '../../lib/settings/check-schema.ts';

export const HEADER = 'header.json';
export const MANIFEST = 'manifest.json';
export const FORMAT_VERSION = 1;

/** One file of a backup, completely in memory: parts are small enough. */
export type Entry = { readonly name: string; readonly bytes: Buffer };

/** The size of a part before compression; a larger row makes a larger part. */
export const PART_BYTES = 4 * 1024 * 1024;
/** More than any row can have: a file that claims more was not written here. */
const MAX_PART_BYTES = 512 * 1024 * 1024;
const PART_NAME = '^[a-z_][a-z0-9_]*\\.[0-9]{6}\\.ndjson\\.gz$';

const strict = { additionalProperties: false };
const Name = Type.String({ minLength: 1, maxLength: 255 });
const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });
const Head = Type.Object({ position: Count, hash: Digest }, strict);

const Header = Type.Object(
  {
    format: Type.Literal('trilho-backup'),
    formatVersion: Count,
    /** The version of Trilho that wrote it. */
    version: Name,
    mode: Type.Enum([...MODES]),
    takenAt: Name,
    migrations: Type.Array(Type.Object({ name: Name, sha256: Digest }, strict), { minItems: 1 }),
    tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name, { minItems: 1 }) }, strict)),
    sequences: Type.Array(
      Type.Object({ table: Name, column: Name, last: Type.String({ pattern: '^[0-9]{1,19}$' }) }, strict),
    ),
    /** The last line of the audit log, if any. */
    auditHead: Type.Union([Head, Type.Null()]),
  },
  strict,
);
export type Header = Static<typeof Header>;

const Part = Type.Object(
  { name: Type.String({ pattern: PART_NAME, maxLength: 100 }), table: Name, rows: Count, bytes: Count, sha256: Digest },
  strict,
);
export type Part = Static<typeof Part>;

const Manifest = Type.Object({ headerSha256: Digest, parts: Type.Array(Part) }, strict);
export type Manifest = Static<typeof Manifest>;

export function sha256Of(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

export function partName(table: string, number: number): string {
  return `${table}.${String(number).padStart(6, '0')}.ndjson.gz`;
}

export function toEntry(name: string, content: Header | Manifest): Entry {
  return { name, bytes: Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`) };
}

export function readHeader(bytes: Buffer): Header {
  const header = readJson(HEADER, Header, bytes);
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new StartError(
      `The backup has format ${header.formatVersion}, this version reads ${FORMAT_VERSION}: use Trilho ${header.version}.`,
    );
  }
  return header;
}

export function readManifest(bytes: Buffer): Manifest {
  return readJson(MANIFEST, Manifest, bytes);
}

/** The rows of a part, each as the text of a JSON array. */
export function rowsOf({ name, bytes }: Entry): string[] {
  let text: string;
  try {
    text = gunzipSync(bytes, { maxOutputLength: MAX_PART_BYTES }).toString('utf8');
  } catch {
    throw new StartError(`The backup is damaged: ${name} cannot be decompressed.`);
  }
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function readJson<S extends TSchema>(name: string, schema: S, bytes: Buffer): Static<S> {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new StartError(`The backup is damaged: ${name} is not JSON.`);
  }
  const checked = checkSchema(schema, json);
  if ('value' in checked) return checked.value;
  const [first] = checked.faults;
  throw new StartError(`The backup is damaged: ${name}: ${first?.path} ${first?.message}.`);
}
