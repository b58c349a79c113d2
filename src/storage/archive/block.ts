// A block of the archive: a fixed range of rows as gzipped NDJSON. The first line describes the block; a line for each row follows.
// Ranges do not depend on when a block is written, so a block that is written again has the same name.
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Static, Type } from 'typebox';
import { StartError } from '../../lib/errors.ts';
import { textHash } from '../../lib/hash.ts';
import { checkSchema } from '../../lib/settings/check-schema.ts';

export const ARCHIVE_KINDS = ['audit', 'events'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];

/** Rows of a block: a file of some hundred kilobytes, and a short transaction to remove them. */
export const BLOCK_SIZE = 1_000;
/** The `previous` hash of the first block. */
const NO_HASH = '0'.repeat(64);

/** More than any block has: a file that claims more was not written here. */
const MAX_BYTES = 1024 * 1024 * 1024;
const FILES_PER_FOLDER = 1_000;

const Header = Type.Object(
  {
    format: Type.Literal('trilho-archive'),
    formatVersion: Type.Literal(1),
    kind: Type.Enum([...ARCHIVE_KINDS]),
    first: Type.Integer({ minimum: 1 }),
    last: Type.Integer({ minimum: 1 }),
    /** The hash at the end of the previous block. */
    previous: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  },
  { additionalProperties: false },
);

export type Block = Pick<Static<typeof Header>, 'kind' | 'first' | 'last' | 'previous'> & {
  /** JSON, each with its `position`. */
  readonly rows: readonly string[];
};

/** Its place in the archive: `events/0000/events-000000000001-000000001000.ndjson.gz`. */
export function pathOfBlock({ kind, first, last }: Pick<Block, 'kind' | 'first' | 'last'>): string[] {
  const folder = String(Math.floor((first - 1) / (BLOCK_SIZE * FILES_PER_FOLDER))).padStart(4, '0');
  const digits = (position: number) => String(position).padStart(12, '0');
  return [kind, folder, `${kind}-${digits(first)}-${digits(last)}.ndjson.gz`];
}

export function formatBlock({ kind, first, last, previous, rows }: Block): string {
  const header = { format: 'trilho-archive', formatVersion: 1, kind, first, last, previous };
  return [JSON.stringify(header), ...rows, ''].join('\n');
}

/** The `previous` hash of the next block of events. */
export function hashOfBlock(block: Block): string {
  return textHash(formatBlock(block));
}

export function gzipBlock(block: Block): Buffer {
  return gzipSync(formatBlock(block));
}

/** Refuses anything that is not a block, or lacks a row. `name`: for the error. */
export function parseBlock(text: string, name: string): Block {
  const [first = '', ...rows] = text.split('\n');
  if (rows.pop() !== '') throw new StartError(`${name} ends in the middle of a line.`);
  const header = checkSchema(Header, parseRow(first, name));
  if ('faults' in header) throw new StartError(`${name} is not a file of the archive.`);
  const { kind, first: from, last, previous } = header.value;
  if (from === 1 && previous !== NO_HASH) throw new StartError(`${name} is the first, and names one before it.`);
  const missing = rows.findIndex((row, index) => positionIn(row, name) !== from + index);
  if (missing !== -1 || rows.length !== last - from + 1) {
    throw new StartError(`${name} lacks row ${from + (missing === -1 ? rows.length : missing)}.`);
  }
  return { kind, first: from, last, previous, rows };
}

export function gunzipText(bytes: Buffer, name: string): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString();
  } catch {
    throw new StartError(`${name} is damaged: it cannot be unpacked.`);
  }
}

export function parseRow(row: string, name: string): unknown {
  try {
    return JSON.parse(row);
  } catch {
    throw new StartError(`${name} is damaged: a line is not JSON.`);
  }
}

function positionIn(row: string, name: string): unknown {
  return (parseRow(row, name) as { position?: unknown } | null)?.position;
}
