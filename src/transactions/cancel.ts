// Withdrawing an order that nobody has paid, and with it its charge.
import { cancelCharge } from '../charges/cancel.ts';
import { AppError } from '../lib/errors.ts';
import { catchUp, type FollowDeps } from './follow.ts';
import { ended } from './life.ts';
import { findOrder, lockOrder } from './store-orders.ts';
import type { Order } from './transaction.ts';
import { writeOrderStep } from './write.ts';

/** An order that has ended stays as it ended; one that is paid is refused: its charge can be refunded. */
export async function cancelOrder(deps: FollowDeps, id: string, accountId?: string): Promise<Order> {
  await deps.clock.refresh();
  const order = await findOrder(deps.db, id, accountId);
  if (!order) throw noSuchOrder();
  if (order.ended) return order;
  if (order.status !== 'pending_payment') {
    throw new AppError('wrong_state', `An order that is ${order.status} cannot be canceled.`);
  }
  if (order.chargeId === undefined) return cancelUnpriced(deps, id);
  await cancelCharge(deps, order.chargeId);
  // A job does the same, should we not come so far, or should money have come meanwhile.
  const after = await deps.db.transaction(tx => catchUp(deps, tx, id, false));
  return after?.order ?? order;
}

async function cancelUnpriced(deps: FollowDeps, id: string): Promise<Order> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const order = await lockOrder(tx, id);
    if (!order) throw noSuchOrder();
    if (order.ended) return order;
    if (order.chargeId !== undefined) throw new AppError('wrong_state', 'The order has just been given a charge.');
    return writeOrderStep(tx, order, ended(order, 'canceled', now), now);
  });
}

export function noSuchOrder(): AppError {
  return new AppError('not_found', 'There is no such crypto transaction.');
}
