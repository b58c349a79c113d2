// Lets a sender take slots again that was halted because somebody else had used its key. Only an operator may do so, once the
// key is safe. Slots that the other has used are passed over: an order in one of them would be held at once.
import type { Network } from '../chains/asset.ts';
import type { Chains } from '../chains/chain.ts';
import type { Queue } from '../jobs/queue.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { takeTaken } from '../payouts/store-due.ts';
import { findSender, resumeSender } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { wakeLine } from './claim-job.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly chains: Chains; readonly log: Log };

/** How many slots are passed over; undefined when the sender was not halted. */
export async function resumeHaltedSender(deps: Deps, network: Network, sender: string): Promise<number | undefined> {
  if (!(await findSender(deps.db, network, sender))?.haltedAt) return undefined;
  const usedSlots = await readUsedSlots(deps, network, sender);
  const passed = await deps.db.transaction(async tx => {
    setAuditObject(sender);
    const slots = await resumeSender(tx, network, sender, usedSlots);
    if (slots === undefined) return undefined;
    await wakeLine(deps, tx, network);
    // Lookups of what was taken for lost are minutes or hours apart, and nodes may show it now.
    await deps.queue.enqueue(tx, ADVANCE[network], await takeTaken(tx, network, sender));
    return slots;
  });
  if (passed) deps.log.warn('a sender goes on behind slots that were used elsewhere', { network, count: passed });
  return passed;
}

/** Zero where slots are not used up by a chain; and without a chain, which gives out no slot and is watched when it is back. */
async function readUsedSlots({ chains }: Deps, network: Network, sender: string): Promise<bigint> {
  const chain = chains[network];
  if (!chain?.usedSlots) return 0n;
  const used = await chain.usedSlots(sender);
  if (used === undefined) {
    throw new AppError(
      'chain_unavailable',
      `Too few nodes of ${network} say which slots of the sender are used; try again.`,
    );
  }
  return used;
}
