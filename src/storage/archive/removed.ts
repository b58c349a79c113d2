// Rows that are removed in time and are no records: deliveries, quotes, idempotency keys, traces, jobs. Where there is an archive, each step leaves a
// file of what it removed, as gzipped NDJSON with its SHA-256 beside it. The rows have no order that a gap could be seen in, so these
// files are no chain, and what a crash has kept from being committed is in a second file later.
import { gzipSync } from 'node:zlib';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Duration } from '../../lib/date-times.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Sql } from '../database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../pruning.ts';
import { resumeSteps } from '../resume-steps.ts';
import { writeHashed } from './files.ts';
import { requireArchive } from './owner.ts';
import { removedText } from './removed-text.ts';

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

/** The folder of these files in the archive. */
const FOLDER = 'removed';

/** Without a folder rows are removed for good. With one they are removed by whole days: else each minute would leave a small file. */
export function pruneRows({ kind, keep, remove, oldest, resumes }: RowPrune, dir: string | undefined): Prune {
  const step: Prune['step'] = (db, before, from) =>
    db.transaction(async tx => {
      const { rows, next } = await remove(tx, dir === undefined ? before : dayOf(before), from);
      if (dir !== undefined) await writeRemoved(tx, dir, { kind, before, rows });
      return { removed: rows.length, next };
    });
  return { kind, keep, oldest, step: resumes ? resumeSteps(step) : step };
}

function dayOf(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % DAY_MS));
}

type Removed = { readonly kind: string; readonly before: Date; readonly rows: readonly string[] };

/**
 * To `removed/deliveries/2026-08-18/deliveries-….ndjson.gz`: the day is the first whose rows stayed. In the transaction that removes
 * the rows, before it ends.
 */
export async function writeRemoved(tx: Sql, dir: string, { kind, before, rows }: Removed): Promise<void> {
  if (rows.length === 0) return;
  await requireArchive(tx, dir);
  const folder = [FOLDER, kind, dayOf(before).toISOString().slice(0, 'YYYY-MM-DD'.length)];
  for (let at = 0; at < rows.length; at += PRUNE_BATCH_SIZE) {
    const part = rows.slice(at, at + PRUNE_BATCH_SIZE);
    await writeHashed(dir, [...folder, `${kind}-${requestUuid()}.ndjson.gz`], gzipSync(removedText(kind, part)));
  }
}
