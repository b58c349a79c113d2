// Rows that are removed in time and are no records: deliveries, quotes, idempotency keys, traces, jobs. Where there is an archive, each step leaves a
// file of what it removed, as gzipped NDJSON with its SHA-256 beside it. The rows have no order that a gap could be seen in, so these
// files are no chain, and what a crash has kept from being committed is in a second file later.
import { gzipSync } from 'node:zlib';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Duration } from '../../lib/date-times.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Database, Sql } from '../database.ts';
import type { Prune } from '../pruning.ts';
import { resumeSteps } from '../resume-steps.ts';
import { writeHashed } from './files.ts';
import { requireArchive } from './owner.ts';
import { formatRemovedRows } from './removed-rows.ts';

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
  const step: Prune['step'] = async (db, before, from) => {
    const day = dayOf(before);
    const { rows, next } =
      dir === undefined
        ? await db.transaction(tx => remove(tx, before, from))
        : await removeToFile(db, { dir, kind, before: day }, tx => remove(tx, day, from));
    return { removed: rows.length, next };
  };
  return { kind, keep, oldest, step: resumes ? resumeSteps(step) : step };
}

function dayOf(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % DAY_MS));
}

type Place = { readonly dir: string; readonly kind: string; readonly before: Date };

/**
 * Rows are in a file on disk before they go, and none is locked while it is written: a disk may hang. So they are removed once to see
 * which they are, which is undone, and once more for good. When those are others, which is rare, the next run tries again.
 */
async function removeToFile(
  db: Database,
  place: Place,
  remove: (tx: Sql) => Promise<RemovedRows>,
): Promise<RemovedRows> {
  const { result: planned } = await commitIf(db, remove, () => false);
  if (planned.rows.length > 0) await writeRemoved(db, place, planned.rows);
  const written = new Set(planned.rows);
  const isWritten = ({ rows }: RemovedRows) => rows.length === written.size && rows.every(row => written.has(row));
  const { result, isCommitted } = await commitIf(db, remove, isWritten);
  return isCommitted ? result : { rows: [] };
}

class Undo extends Error {}

/** Runs `work` in a transaction, and undoes it when its result is not the right one. */
async function commitIf<T>(
  db: Database,
  work: (tx: Sql) => Promise<T>,
  isRight: (result: T) => boolean,
): Promise<{ readonly result: T; readonly isCommitted: boolean }> {
  let last: { readonly result: T } | undefined;
  try {
    await db.transaction(async tx => {
      last = { result: await work(tx) };
      if (!isRight(last.result)) throw new Undo();
    });
    return { ...last!, isCommitted: true };
  } catch (error) {
    if (error instanceof Undo) return { ...last!, isCommitted: false };
    throw error;
  }
}

/** To `removed/deliveries/2026-08-18/deliveries-….ndjson.gz`: the day is the first whose rows stayed. */
async function writeRemoved(db: Database, { dir, kind, before }: Place, rows: readonly string[]): Promise<void> {
  await requireArchive(db, dir);
  const folder = [FOLDER, kind, before.toISOString().slice(0, 'YYYY-MM-DD'.length)];
  await writeHashed(dir, [...folder, `${kind}-${requestUuid()}.ndjson.gz`], gzipSync(formatRemovedRows(kind, rows)));
}
