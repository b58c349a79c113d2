// Merges recorded changes of counted lists and kept sums into them, in the background, so that a writer only inserts a small row.
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Database } from './database.ts';

const MERGE_EVERY_MS = 1_000;
/** The most changes that one transaction merges. */
const BATCH_SIZE = 10_000;
/** Rows that one transaction reads to split buckets; the last bucket may exceed it. */
const SPLIT_BUDGET_ROWS = 200_000;
/** Splitting one large bucket takes as long as it has rows. */
const STATEMENT_LIMIT_MS = 600_000;
const STOP_LIMIT_MS = 5_000;

/**
 * Merges all pending changes in bounded batches and splits the buckets that have grown. Several nodes may call it at once: one of them
 * works, the others find nothing to do.
 */
export async function mergeCounts({ db, signal }: { db: Database; signal?: AbortSignal }): Promise<void> {
  const [row] = await db.query<{ lists: boolean; sums: boolean }>(
    `select exists (select from list_changes where xid >= first_unmerged_xid())
            or exists (select from list_buckets_to_split) as lists,
            exists (select from ledger_balance_changes) or exists (select from boleto_instruction_changes) as sums`,
  );
  if (row!.lists) while (!signal?.aborted && (await mergeBatch(db)));
  if (row!.sums) while (!signal?.aborted && (await mergeSums(db)));
}

/** Returns whether more can be done at once. */
function mergeSums(db: Database): Promise<boolean> {
  return db.transaction(async tx => {
    const [row] = await tx.query<{ merged: number }>('select merge_kept_sums($1) as merged', [BATCH_SIZE]);
    return row!.merged >= BATCH_SIZE;
  });
}

/** Returns whether more can be done at once; false also while another node merges. */
function mergeBatch(db: Database): Promise<boolean> {
  return db.transaction(
    async tx => {
      const [row] = await tx.query<{ merged: number | null }>('select merge_list_changes($1, $2) as merged', [
        BATCH_SIZE,
        SPLIT_BUDGET_ROWS,
      ]);
      const { merged } = row!;
      if (merged === null) return false;
      const [left] = await tx.query<{ any: boolean }>('select exists (select from list_buckets_to_split) as any');
      return merged >= BATCH_SIZE || left!.any;
    },
    { isSnapshot: true, statementLimitMs: STATEMENT_LIMIT_MS },
  );
}

type Deps = { readonly db: Database; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

/** Merges once a second until it is stopped. A run that is cut off is rolled back; the next run does it again. */
export function startMergingCounts({ db, log, heartbeats }: Deps): Loop {
  return startLoop({
    name: 'merging list counts',
    task: signal => mergeCounts({ db, signal }),
    pauseMs: MERGE_EVERY_MS,
    stopLimitMs: STOP_LIMIT_MS,
    longestRunMs: STATEMENT_LIMIT_MS,
    heartbeats,
    log,
  });
}
