// Prevents a second transfer for an order while the chain shows that an earlier one was mined, or cannot prove that it was not.
import { commitMoney } from '../charges/store/money.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { readEarlier } from '../payouts/compare/earlier.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { chainOf } from '../payouts/line/open.ts';
import { hasMovedNothing, type Payout } from '../payouts/payout.ts';
import { reopenPayout } from '../payouts/store/adopt.ts';
import { findPayoutOfOwner } from '../payouts/store/payouts.ts';
import { type FollowDeps, lockChargeOf } from './follow.ts';
import { claimed, sentAgain } from './life.ts';
import { moneyOf } from './money.ts';
import type { Order } from './order.ts';
import { lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

export type EarlierDeps = Pick<FollowDeps, 'db' | 'queue' | 'clock' | 'settlement'>;

/**
 * Refuses another transfer of an order unless the required number of nodes shows that each earlier one moved nothing. One that was mined
 * is tracked again, and the order with it.
 */
export async function requireNothingMoved(
  deps: EarlierDeps & Pick<FollowDeps, 'chains'>,
  order: Pick<Order, 'id' | 'network'>,
): Promise<void> {
  const chain = chainOf(deps.chains, order.network);
  const earlier = (await readEarlier(deps.db, chain, [order.id])).get(order.id);
  if (!earlier || earlier.kind === 'moved_nothing') return;
  if (earlier.kind === 'moved') {
    await takeBack(deps, earlier.payout);
    throw new AppError(
      'wrong_state',
      `The chain has already mined an earlier transfer of this order: ${earlier.hash}.`,
    );
  }
  throw new AppError(
    'chain_unavailable',
    `It is not known that an earlier transfer of this order moved nothing: ${earlier.message}; try again.`,
  );
}

/**
 * Reopens the payout that moved something, and takes its order out of the line: lookups of the transfer decide what happens to both. The
 * money that is still here can no longer be refunded.
 */
export async function takeBack({ db, queue, clock, settlement: rules }: EarlierDeps, payout: Payout): Promise<void> {
  const { id, accountId, ownerId: orderId, network } = payout;
  if (orderId === undefined) return;
  await db.transaction(async tx => {
    const order = await lockOrder(tx, orderId);
    const charge = order && (await lockChargeOf(tx, order));
    const now = clock.now();
    if (!order || !charge || order.ended) return;
    // Another run has already reopened it, or has opened the next one.
    const newest = await findPayoutOfOwner(tx, orderId, accountId);
    if (!newest || !hasMovedNothing(newest)) return;
    await reopenPayout(tx, payout, now);
    const again = order.hold ? await writeOrderStep(tx, order, sentAgain(order, now), now) : order;
    const context = { charge, rules, now, newId: () => uuidV7(now) };
    const after = await writeOrderStep(tx, again, claimed(again, context), now);
    const { dueCents = 0n } = after;
    const { keptCents } = moneyOf(charge, dueCents);
    await commitMoney(tx, [{ charge, cents: keptCents < dueCents ? keptCents : dueCents }]);
    await queue.enqueue(tx, ADVANCE[network], [{ accountId, payoutId: id }]);
  });
}
