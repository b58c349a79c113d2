// Rows that are removed in time and are no records: deliveries, quotes, idempotency keys, traces, jobs. Where there is an archive, each step leaves a
// file of what it removed, as gzipped NDJSON with its SHA-256 beside it. The rows have no order that a gap could be seen in, so these
// files are no chain, and what a crash has kept from being committed is in a second file later.
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Static, Type } from 'typebox';
import { checkSchema } from '../../config/check-schema.ts';
import type { Duration } from '../../lib/date-times.ts';
import { StartError } from '../../lib/errors.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Sql } from '../database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../pruning.ts';
import { resumeSteps } from '../resume-steps.ts';
import { parsed, textIn } from './block.ts';
import { readHashed, writeHashed } from './files.ts';

export type RowPrune = {
  readonly kind: string;
  readonly keep: Duration | 'forever';
  /** Removes some of what is older than a moment, and returns it as JSON. */
  remove(tx: Sql, before: Date, from: string | undefined): Promise<RemovedRows>;
  readonly oldest: Prune['oldest'];
  /** Whether rows that are still needed may lie between: a run then goes on where the last one ended. */
  readonly resumes?: boolean;
};

export type RemovedRows = { readonly rows: readonly string[]; readonly next?: string | undefined };

const DAY_MS = 86_400_000;
/** The folder of these files in the archive. */
const FOLDER = 'removed';

const Header = Type.Object(
  {
    format: Type.Literal('trilho-removed'),
    formatVersion: Type.Literal(1),
    kind: Type.String({ pattern: '^[a-z_]+$' }),
    rows: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);

/** Without a folder rows are removed for good. With one they are removed by whole days: else each minute would leave a small file. */
export function pruneRows({ kind, keep, remove, oldest, resumes }: RowPrune, dir: string | undefined): Prune {
  const step: Prune['step'] = (db, before, from) =>
    db.transaction(async tx => {
      const { rows, next } = await remove(tx, dir === undefined ? before : dayOf(before), from);
      if (dir !== undefined) await writeRemoved(dir, { kind, before, rows });
      return { removed: rows.length, next };
    });
  return { kind, keep, oldest, step: resumes ? resumeSteps(step) : step };
}

function dayOf(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % DAY_MS));
}

type Removed = { readonly kind: string; readonly before: Date; readonly rows: readonly string[] };

/**
 * To `removed/deliveries/2026-08-18/deliveries-….ndjson.gz`: the day is the first whose rows stayed. To be called in the transaction that
 * removes the rows.
 */
export async function writeRemoved(dir: string, { kind, before, rows }: Removed): Promise<void> {
  const folder = [FOLDER, kind, dayOf(before).toISOString().slice(0, 'YYYY-MM-DD'.length)];
  for (let at = 0; at < rows.length; at += PRUNE_BATCH_SIZE) {
    const part = rows.slice(at, at + PRUNE_BATCH_SIZE);
    const header: Static<typeof Header> = { format: 'trilho-removed', formatVersion: 1, kind, rows: part.length };
    const text = [JSON.stringify(header), ...part, ''].join('\n');
    await writeHashed(dir, [...folder, `${kind}-${requestUuid()}.ndjson.gz`], gzipSync(text));
  }
}

export function isRemovedFile(file: string): boolean {
  return path.basename(path.dirname(path.dirname(path.dirname(file)))) === FOLDER;
}

/** Refuses a file that is not what was written. */
export async function checkRemoved(file: string): Promise<{ readonly kind: string; readonly rows: number }> {
  const [first = '', ...rows] = textIn(await readHashed(file), file).split('\n');
  const header = checkSchema(Header, parsed(first, file));
  if ('faults' in header) throw new StartError(`${file} is not a file of the archive.`);
  if (rows.pop() !== '' || rows.length !== header.value.rows) throw new StartError(`${file} lacks rows.`);
  for (const row of rows) parsed(row, file);
  return header.value;
}
