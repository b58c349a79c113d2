// Gives up the slot of a transfer that the chain does not mine: a transaction that moves nothing uses the slot, and then the order may be
// sent again or refunded. Only an operator may do so.
import { AppError, noSuch } from '../lib/errors.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { isUnmined } from '../payouts/payout.ts';
import { findPayoutOfOwner, requestVoid } from '../payouts/store/payouts.ts';
import type { FollowDeps } from './follow.ts';
import type { Order } from './order.ts';
import { lockOrder } from './store.ts';

/**
 * From the commit on, no transfer is signed for the slot. One that was already sent may still win: then the order is fulfilled.
 * Refuses an order without a transfer, and one whose transfer is in a block. A repeat changes nothing.
 */
export async function voidPayout(
  { db, queue, clock }: Pick<FollowDeps, 'db' | 'queue' | 'clock'>,
  id: string,
  accountId?: string,
): Promise<Order> {
  return db.transaction(async tx => {
    const order = await lockOrder(tx, id);
    if (!order || (accountId !== undefined && order.accountId !== accountId)) throw noSuch('crypto transaction');
    const payout = await findPayoutOfOwner(tx, order.id, order.accountId);
    if (!payout || !isUnmined(payout)) {
      throw new AppError('wrong_state', 'This order has no transfer waiting for a block.');
    }
    if (payout.voidRequestedAt && !payout.unsignedReason) return order;
    await requestVoid(tx, payout, clock.now());
    await queue.enqueue(tx, ADVANCE[payout.network], [{ accountId: payout.accountId, payoutId: payout.id }]);
    return order;
  });
}
