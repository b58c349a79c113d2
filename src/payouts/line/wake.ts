// Wakes a line: enqueues the job that lets its payouts take slots.
import type { Network } from '../../chains/asset.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Sql } from '../../storage/database.ts';
import { CLAIM } from '../jobs.ts';
import type { OwnerRecords, PayoutChange } from '../owner.ts';
import { isUnmined } from '../payout.ts';

export type WakeDeps = { readonly queue: Queue; readonly payoutOwner: Pick<OwnerRecords, 'hasWaiting'> };

/** Wakes the line of a network, for example because a slot became free. */
export async function wakeLine({ queue, payoutOwner }: WakeDeps, tx: Sql, network: Network): Promise<void> {
  if (await payoutOwner.hasWaiting(tx, network)) await queue.enqueue(tx, CLAIM[network], [{ network }]);
}

/** Wakes the lines of the networks on which slots became free. */
export async function wakeFreed(deps: WakeDeps, tx: Sql, changes: readonly PayoutChange[]): Promise<void> {
  const freed = changes.filter(({ before, after }) => isUnmined(before) && !isUnmined(after));
  for (const network of new Set(freed.map(({ after }) => after.network))) await wakeLine(deps, tx, network);
}
