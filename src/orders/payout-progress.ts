// Applies changes of a payout to its order and to the ledger.
import assert from 'node:assert/strict';
import { commitMoney } from '../charges/store/money.ts';
import type { Queue } from '../jobs/queue.ts';
import { feeCorrectionEntry, networkFeeEntry, payoutEntry, payoutUndoneEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { postEntries } from '../ledger/store.ts';
import { uuidV7 } from '../lib/ids.ts';
import { readRefusals } from '../payouts/engine/first-signature.ts';
import type { ApplyChanges, PayoutChange } from '../payouts/owner.ts';
import { hasMovedNothing, type Payout, sentUnits } from '../payouts/payout.ts';
import type { Sql } from '../storage/database.ts';
import { afterPayout } from './after-payout.ts';
import { FOLLOW_ORDER } from './charge-follower.ts';
import { lockChargeOf } from './follow.ts';
import type { Order } from './order.ts';
import { lockOrders } from './store.ts';
import { writeOrderSteps } from './write.ts';

/** Locks the orders of payouts, to apply the changes of these. */
export async function lockOrdersOf(
  deps: { readonly queue: Queue },
  tx: Sql,
  payouts: readonly Payout[],
): Promise<ApplyChanges> {
  const orders = await lockOrders(tx, payouts.map(orderIdOf));
  return async (changes, at) => {
    const owned = changes.map(change => ({ change, order: requireOrder(orders, change) }));
    await postEntries(
      tx,
      owned.flatMap(({ order, change }) => entriesOf(order, change, at)),
    );
    for (const { order, change } of owned) if (hasMovedNothing(change.after)) await releaseMoney(tx, order);
    const givenUp = changes.filter(({ news }) => news.kind === 'voided' && news.reason !== undefined);
    const refusals = await readRefusals(
      tx,
      givenUp.map(({ after }) => after),
    );
    const steps = owned.flatMap(({ order: before, change: { after: payout, news } }) => {
      const step = afterPayout(before, news, at, refusals.get(payout.id));
      return step ? [{ before, step, payout }] : [];
    });
    await writeOrderSteps(tx, steps, at);
    // Their money may have been refunded meanwhile; the rest decides whether they stay in line.
    await deps.queue.enqueue(
      tx,
      FOLLOW_ORDER,
      givenUp.map(({ after }) => ({ accountId: after.accountId, orderId: orderIdOf(after) })),
    );
  };
}

function requireOrder(orders: readonly Order[], { after }: PayoutChange): Order {
  const order = orders.find(({ id }) => id === orderIdOf(after));
  assert(order, 'the order of a payout exists');
  return order;
}

function orderIdOf({ ownerId: orderId }: Payout): string {
  assert(orderId !== undefined, 'the payout of an order names it');
  return orderId;
}

/** The entries for what was sent (the amount, another amount, or nothing after a reorganisation) and for the network's fee. */
function entriesOf(order: Order, { before, after }: PayoutChange, at: Date): Entry[] {
  const { symbol, network } = after;
  const { accountId, chargeId } = order;
  const entry = (units: bigint) => ({
    id: uuidV7(at),
    accountId,
    at,
    orderId: order.id,
    ...(chargeId !== undefined && { chargeId }),
    payoutId: after.id,
    symbol,
    network,
    units,
  });
  const entries: Entry[] = [];
  const [hadLeft, hasLeft] = [sentUnits(before), sentUnits(after)];
  if (hadLeft === 0n && hasLeft > 0n) entries.push(payoutEntry(entry(hasLeft)));
  else if (hadLeft !== hasLeft) entries.push(payoutUndoneEntry(entry(hadLeft - hasLeft)));
  const [posted, fee = 0n] = [before.feeUnits ?? 0n, after.feeUnits];
  if (posted === 0n && fee > 0n) entries.push(networkFeeEntry(entry(fee)));
  else if (posted !== fee) entries.push(feeCorrectionEntry(entry(fee - posted)));
  return entries;
}

/** The crypto was not sent, so the payment may be refunded again. */
async function releaseMoney(tx: Sql, order: Order): Promise<void> {
  const charge = await lockChargeOf(tx, order);
  if (charge) await commitMoney(tx, [{ charge, cents: 0n }]);
}
