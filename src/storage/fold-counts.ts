// Changes of counted lists become part of their counts, in the background: whoever writes a row only notes the change.
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Database } from './database.ts';

const FOLD_EVERY_MS = 1_000;
/** Changes that one transaction folds, and rows that it passes at most to split what has grown, give or take one stretch. */
const BATCH_SIZE = 10_000;
const SPLIT_BUDGET_ROWS = 200_000;
const STOP_LIMIT_MS = 5_000;

/**
 * Folds all that waits by now, in bounded batches, and splits what has grown. Several may try at once: one of them works, the
 * others find nothing to do.
 */
export async function foldCounts({ db, signal }: { db: Database; signal?: AbortSignal }): Promise<void> {
  const [row] = await db.query<{ any: boolean }>(
    `select exists (select from list_deltas where xid >= list_fold_low()) or exists (select from list_dense) as any`,
  );
  if (!row!.any) return;
  while (!signal?.aborted && (await foldBatch(db)));
}

/** Returns whether there is more to do at once; false also when somebody else is at it. */
function foldBatch(db: Database): Promise<boolean> {
  return db.transaction(
    async tx => {
      await tx.query('set transaction isolation level repeatable read');
      // A stretch that grew in one go takes as long as it has rows.
      await tx.query('set local statement_timeout = 0');
      const [row] = await tx.query<{ folded: number | null }>('select fold_counts($1, $2) as folded', [
        BATCH_SIZE,
        SPLIT_BUDGET_ROWS,
      ]);
      const { folded } = row!;
      if (folded === null) return false;
      const [dense] = await tx.query<{ any: boolean }>('select exists (select from list_dense) as any');
      return folded >= BATCH_SIZE || dense!.any;
    },
    { isLong: true },
  );
}

/** Folds from time to time until it is stopped. What fails is tried again with the next. */
export function startFolding({ db, log }: { db: Database; log: Log }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function takeTurns(): Promise<void> {
    while (!signal.aborted) {
      try {
        await foldCounts({ db, signal });
      } catch (error) {
        log.warn('counts could not be folded and will be later', { error });
      }
      await wait(FOLD_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }
  const turns = takeTurns();
  return {
    stop: async () => {
      stopping.abort();
      // What is not done by then is undone with its connection, and done again by whoever folds next.
      await Promise.race([turns, wait(STOP_LIMIT_MS, undefined, { ref: false })]);
    },
  };
}
