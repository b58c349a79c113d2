// Lets a sender take slots again that was halted because somebody else had used its key. Only an operator may do so, once the
// key is safe.
import type { Network } from '../chains/asset.ts';
import type { Queue } from '../jobs/queue.ts';
import { resumeSender } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { wakeLine } from './claim-job.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

/** False when the sender was not halted. */
export async function resumeHaltedSender(deps: Deps, network: Network, sender: string): Promise<boolean> {
  return deps.db.transaction(async tx => {
    const isResumed = await resumeSender(tx, network, sender);
    if (isResumed) await wakeLine(deps, tx, network);
    return isResumed;
  });
}
