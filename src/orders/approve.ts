// Approval of a payout by a second pair of eyes. Approving is not sending: the order stands in line and passes every gate.
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { requireApprover } from './approver.ts';
import { noSuchOrder } from './cancel.ts';
import { joinLine } from './follow.ts';
import { isPastClaim, sentAgain } from './life.ts';
import type { HoldReason, Order } from './order.ts';
import { lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

/** Holds that an approval ends. */
export const APPROVABLE: readonly HoldReason[] = ['over_payout_limit', 'approval_needed'];

/**
 * Approves the payout of an order at its terms of now, once; approved again it stays as it is. Refuses the key or person that
 * made the order, took its newest price or reported its money, all that share a maker with it, and an order whose crypto is on its way.
 */
export async function approveOrder(
  deps: Deps,
  id: string,
  { by, accountId }: { readonly by: string; readonly accountId?: string | undefined },
): Promise<Order> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    if (!before || (accountId !== undefined && before.accountId !== accountId)) throw noSuchOrder();
    if (before.approval) return before;
    requireUnsent(before);
    await requireApprover(tx, by, before, 'approve it');
    const approved: Order = { ...before, approval: { by, at: now } };
    const isHeldForIt = before.hold !== undefined && APPROVABLE.includes(before.hold.reason);
    const after = await writeOrderStep(tx, before, isHeldForIt ? sentAgain(approved, now) : { after: approved }, now);
    await joinLine(deps, tx, after);
    return after;
  });
}

function requireUnsent({ ended, status, hold, waitsSince }: Order): void {
  const isOnItsWay = isPastClaim({ status }) && !waitsSince && !(hold && APPROVABLE.includes(hold.reason));
  if (ended || isOnItsWay) throw new AppError('wrong_state', 'This order has no payout that waits.');
}
