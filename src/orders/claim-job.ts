// The job that lets waiting orders take slots, one queue for each network. In its own file, because the code that enqueues it
// must not import the handler.
import type { Network } from '../chains/asset.ts';
import type { Queue } from '../jobs/queue.ts';
import { perNetwork } from '../payouts/jobs.ts';
import type { Sql } from '../storage/database.ts';
import { hasWaiting } from './store-line.ts';

export const CLAIM = perNetwork<{ readonly network: Network }>('order.claim');
export const ORDER_JOBS = Object.values(CLAIM);

type Deps = { readonly queue: Queue };

/** Wakes the line of a network, for instance because a slot became free. */
export async function wakeLine({ queue }: Deps, tx: Sql, network: Network): Promise<void> {
  if (await hasWaiting(tx, network)) await queue.enqueue(tx, CLAIM[network], [{ network }]);
}
