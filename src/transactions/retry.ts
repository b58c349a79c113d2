// Sending again what a chain carried out without effect. Its slot is burnt, so this is a second payout: only an operator
// decides that, once the first is known to have moved nothing.
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { noSuchOrder } from './cancel.ts';
import { knowsSender, openPayout } from './claim.ts';
import { type FollowDeps, lockedCharge } from './follow.ts';
import { promised, reasonToHold, sentAgain } from './life.ts';
import { moneyOf } from './money.ts';
import { findOrder, lockOrder } from './store-orders.ts';
import type { Order } from './transaction.ts';
import { writeOrderStep } from './write.ts';

/** Refuses an order whose transfer did not fail, and one whose money has gone back meanwhile. */
export async function retryOrder(deps: FollowDeps, id: string, accountId?: string): Promise<Order> {
  await deps.clock.refresh();
  const now = deps.clock.now();
  const found = await findOrder(deps.db, id, accountId);
  if (!found) throw noSuchOrder();
  requireReverted(found);
  if (!(await knowsSender(deps, found.network))) throw new AppError('unavailable', 'The chain does not answer.');
  const commitmentId = uuidV7(now);
  const order = await deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    const charge = before && (await lockedCharge(tx, before));
    if (!before || !charge) throw noSuchOrder();
    // One that is run again after a connection was lost at its commit finds its own.
    if (before.commitment?.id === commitmentId) return before;
    requireReverted(before);
    if (reasonToHold(before, moneyOf(charge, before.dueCents ?? charge.payableCents))) {
      throw new AppError('wrong_state', 'The money of this order is not what its price was for; reprice it.');
    }
    const again = promised(before, { newId: () => commitmentId });
    const after = await writeOrderStep(tx, before, sentAgain(again, now), now);
    await openPayout(deps, tx, after, charge, now);
    return after;
  });
  deps.queue.nudge('transaction.fulfill');
  return order;
}

function requireReverted({ hold, ended }: Order): void {
  if (hold?.reason === 'transfer_reverted' && !ended) return;
  throw new AppError('wrong_state', 'This order has no transfer that failed.');
}
