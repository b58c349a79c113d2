// Sends an order again whose transfer the chain executed without effect. Its slot is used up, so this is a second payout:
// only an operator may start it, once the first payout is known to have moved nothing.
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { chainSilent, knowsSender } from '../payouts/open.ts';
import { noSuchOrder } from './cancel.ts';
import { claimPayout } from './claim.ts';
import { type FollowDeps, lockChargeOf } from './follow.ts';
import { holdReasonOf, sentAgain, withCommitment } from './life.ts';
import { moneyOf } from './money.ts';
import type { Order } from './order.ts';
import { findOrder, lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

/** Refuses an order whose transfer did not fail, and one whose payment was refunded in the meantime. */
export async function retryOrder(deps: FollowDeps, id: string, accountId?: string): Promise<Order> {
  const now = deps.clock.now();
  const found = await findOrder(deps.db, id, accountId);
  if (!found) throw noSuchOrder();
  requireReverted(found);
  if (!(await knowsSender(deps, found.network))) throw chainSilent(found.network);
  const commitmentId = uuidV7(now);
  return deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    const charge = before && (await lockChargeOf(tx, before));
    if (!before || !charge) throw noSuchOrder();
    // A retry after a commit whose answer was lost finds its own change.
    if (before.commitment?.id === commitmentId) return before;
    requireReverted(before);
    if (holdReasonOf(before, moneyOf(charge, before.dueCents ?? charge.payableCents))) {
      throw new AppError('wrong_state', 'The money of this order is not what its price was for; reprice it.');
    }
    const committed = withCommitment(before, { newId: () => commitmentId });
    const after = await writeOrderStep(tx, before, sentAgain(committed, now), now);
    await claimPayout(deps, tx, after, charge, now);
    return after;
  });
}

function requireReverted({ hold, ended }: Order): void {
  if (hold?.reason === 'transfer_reverted' && !ended) return;
  throw new AppError('wrong_state', 'This order has no transfer that failed.');
}
