// Wakes the lines of the networks on which slots became free.
import type { Queue } from '../jobs/queue.ts';
import type { PayoutChange } from '../payouts/owner.ts';
import { isUnmined } from '../payouts/payout.ts';
import type { Sql } from '../storage/database.ts';
import { wakeLine } from './claim-job.ts';

export async function wakeFreed(
  deps: { readonly queue: Queue },
  tx: Sql,
  changes: readonly PayoutChange[],
): Promise<void> {
  const freed = changes.filter(({ before, after }) => isUnmined(before) && !isUnmined(after));
  for (const network of new Set(freed.map(({ after }) => after.network))) await wakeLine(deps, tx, network);
}
