// Adds a charge to an order that was created without a payer; then asks the bank where only the bank can make the code.
import type { Charge } from '../charges/charge.ts';
import { type ChargeDeps, writeCharge } from '../charges/create/create.ts';
import { type IssueNowDeps, issueNow } from '../charges/issue/issue-now.ts';
import { findCharge } from '../charges/store/charges.ts';
import { AppError, requireFound } from '../lib/errors.ts';
import type { Tracing } from '../lib/tracing.ts';
import { shareTraces } from '../storage/object-traces.ts';
import { chargeOfOrder, type OrderCharge } from './charge-of-order.ts';
import type { Order } from './order.ts';
import { findOrder, lockOrder, updateOrders } from './store.ts';
import { clearOrderTimers } from './store-timers.ts';

/** Refuses an order that has a charge, has ended, or whose price has expired. */
export async function attachCharge(
  deps: ChargeDeps & IssueNowDeps & { readonly tracing?: Tracing | undefined },
  id: string,
  part: OrderCharge,
  accountId?: string,
): Promise<Order> {
  const now = deps.clock.now();
  const found = requireFound(await findOrder(deps.db, id, accountId), 'crypto transaction');
  const charge = chargeOfOrder(deps, found, part, now);
  type Attached = { readonly order: Order; readonly written: Charge | undefined };
  const { order, written } = await deps.db.transaction(async (tx): Promise<Attached> => {
    const before = requireFound(await lockOrder(tx, id), 'crypto transaction');
    // A retry after a commit whose answer was lost finds its own change, with a location of its own.
    if (before.chargeId === charge.id) return { order: before, written: await findCharge(tx, charge.id) };
    if (before.chargeId !== undefined) throw new AppError('wrong_state', 'This order already has a charge.');
    if (before.ended || before.status !== 'pending_payment' || !before.quote || before.quote.expiresAt <= now) {
      throw new AppError('wrong_state', 'The price of this order has expired; make a new order.');
    }
    const after = { ...before, chargeId: charge.id, dueCents: charge.payableCents, updatedAt: now };
    await updateOrders(tx, [after]);
    await clearOrderTimers(tx, [after], 'expire');
    const written = await writeCharge(deps, tx, charge);
    await shareTraces(deps, tx, [{ from: id, to: charge.id }]);
    return { order: after, written };
  });
  if (written) await issueNow(deps, written);
  return order;
}
