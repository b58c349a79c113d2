// Lets a sender take slots again that was halted because somebody else had used its key. Only an operator may do so, once the
// key is safe.
import type { Network } from '../chains/asset.ts';
import type { Queue } from '../jobs/queue.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { takeTaken } from '../payouts/store-due.ts';
import { resumeSender } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { wakeLine } from './claim-job.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

/** False when the sender was not halted. */
export async function resumeHaltedSender(deps: Deps, network: Network, sender: string): Promise<boolean> {
  return deps.db.transaction(async tx => {
    setAuditObject(sender);
    const isResumed = await resumeSender(tx, network, sender);
    if (!isResumed) return false;
    await wakeLine(deps, tx, network);
    // Lookups of what was taken for lost are hours apart by then, and nodes may show it now.
    await deps.queue.enqueue(tx, ADVANCE[network], await takeTaken(tx, network, sender));
    return true;
  });
}
