// Rows that are removed in time and are no records: deliveries, quotes, idempotency keys, traces, jobs. Where there is an archive, each step leaves a
// file of what it removed, as gzipped NDJSON with its SHA-256 beside it. The rows have no order that a gap could be seen in, so these
// files are no chain, and what was not removed after all, because of a crash or since it changed meanwhile, is in a second file later.
import { gzipSync } from 'node:zlib';
import type { Duration } from '../../lib/date-times.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Database, Sql } from '../database.ts';
import { type Prune, startOfDay } from '../pruning.ts';
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
    const day = startOfDay(before);
    const { rows, next } =
      dir === undefined
        ? await db.transaction(tx => remove(tx, before, from))
        : await removeToFile(db, { dir, kind, before: day }, tx => remove(tx, day, from));
    return { removed: rows.length, next };
  };
  return { kind, keep, oldest, step: resumes ? resumeSteps(step) : step };
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
  const { rows } = await tryOut(db, remove);
  if (rows.length > 0) await writeRemoved(db, place, rows);
  const written = new Set(rows);
  const others = new Error('other rows than those in the file');
  try {
    return await db.transaction(async tx => {
      const removed = await remove(tx);
      if (removed.rows.length === written.size && removed.rows.every(row => written.has(row))) return removed;
      throw others;
    });
  } catch (error) {
    if (error === others) return { rows: [] };
    throw error;
  }
}

/** The result of `work`, which is undone. */
async function tryOut<T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  const undo = new Error('undone on purpose');
  let done: { readonly result: T } | undefined;
  try {
    await db.transaction(async tx => {
      done = { result: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return done!.result;
}

/** To `removed/deliveries/2026-08-18/deliveries-….ndjson.gz`: the day is the first whose rows stayed. */
async function writeRemoved(db: Database, { dir, kind, before }: Place, rows: readonly string[]): Promise<void> {
  await requireArchive(db, dir);
  const folder = [FOLDER, kind, before.toISOString().slice(0, 'YYYY-MM-DD'.length)];
  await writeHashed(dir, [...folder, `${kind}-${requestUuid()}.ndjson.gz`], gzipSync(formatRemovedRows(kind, rows)));
}
