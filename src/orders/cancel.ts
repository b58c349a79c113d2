// Cancels an unpaid order and its charge.
import { cancelCharge } from '../charges/cancel.ts';
import { AppError, requireFound } from '../lib/errors.ts';
import { catchUp, type FollowDeps } from './follow.ts';
import { ended } from './life.ts';
import type { Order } from './order.ts';
import { findOrder, lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

/** Returns an ended order as it is. Refuses a paid order: the caller can refund its charge instead. */
export async function cancelOrder(deps: FollowDeps, id: string, accountId?: string): Promise<Order> {
  const order = requireFound(await findOrder(deps.db, id, accountId), 'crypto transaction');
  if (order.ended) return order;
  if (order.status !== 'pending_payment') {
    throw new AppError('wrong_state', `An order that is ${order.status} cannot be canceled.`);
  }
  if (order.chargeId === undefined) return cancelWithoutCharge(deps, id);
  await cancelCharge(deps, order.chargeId);
  // The cancellation of the charge has enqueued a job that does the same if this process stops here.
  const after = await deps.db.transaction(tx => catchUp(deps, tx, id));
  return after ?? order;
}

async function cancelWithoutCharge(deps: FollowDeps, id: string): Promise<Order> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const order = requireFound(await lockOrder(tx, id), 'crypto transaction');
    if (order.ended) return order;
    if (order.chargeId !== undefined) throw new AppError('wrong_state', 'A charge has just been added to this order.');
    return writeOrderStep(tx, order, ended(order, 'canceled', now), now);
  });
}
