// Applies changes of a payout to its order and to the ledger.
import assert from 'node:assert/strict';
import { commitMoney } from '../charges/store-money.ts';
import { payoutEntry, payoutUndoneEntry } from '../ledger/entries.ts';
import { postEntries } from '../ledger/store.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { PayoutChange, PayoutOwner } from '../payouts/advance.ts';
import { isSent } from '../payouts/payout.ts';
import type { Sql } from '../storage/database.ts';
import { lockChargeOf } from './follow.ts';
import { afterPayout } from './life.ts';
import type { Order } from './order.ts';
import { lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

/** Orders as the owners of their payouts. */
export const payoutOwner: PayoutOwner = {
  lock: async (tx, { orderId }) => {
    await lockOrder(tx, orderId);
  },
  apply: async (tx, change, at) => {
    const order = await lockOrder(tx, change.after.orderId);
    assert(order, 'the order of a payout exists');
    await postPayout(tx, order, change, at);
    if (change.after.state === 'reverted') await releaseMoney(tx, order);
    const step = afterPayout(order, change.news, at);
    if (step) await writeOrderStep(tx, order, step, at, change.after);
  },
};

/** Posts crypto that was sent, and crypto whose transfer a reorganisation undid. */
async function postPayout(tx: Sql, order: Order, { before, after }: PayoutChange, at: Date): Promise<void> {
  if (isSent(before) === isSent(after)) return;
  const { symbol, network, units } = after;
  const { accountId, chargeId } = order;
  const entry = {
    id: uuidV7(at),
    accountId,
    at,
    orderId: order.id,
    ...(chargeId !== undefined && { chargeId }),
    payoutId: after.id,
    symbol,
    network,
    units,
  };
  await postEntries(tx, [isSent(after) ? payoutEntry(entry) : payoutUndoneEntry(entry)]);
}

/** The crypto was not sent, so the payment may be refunded again. */
async function releaseMoney(tx: Sql, order: Order): Promise<void> {
  const charge = await lockChargeOf(tx, order);
  if (charge) await commitMoney(tx, charge, 0n);
}
