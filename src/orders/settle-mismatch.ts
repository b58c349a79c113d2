// Settles an order whose transfer arrived with another amount. Crypto has left and cannot be taken back, so a person decides: what
// arrived counts as the whole, or the customer gets the money back.
import assert from 'node:assert/strict';
import { commitMoney } from '../charges/store/money.ts';
import { mismatchSettledEntry } from '../ledger/entries.ts';
import { postEntries } from '../ledger/store.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, noSuch } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { type Payout, sentUnits } from '../payouts/payout.ts';
import { findPayoutOfOwner } from '../payouts/store/payouts.ts';
import type { Database, Sql } from '../storage/database.ts';
import { lockChargeOf } from './follow.ts';
import { moved, type OrderStep, resumed } from './life.ts';
import type { MismatchSettlement, Order } from './order.ts';
import { lockOrder } from './store.ts';
import { unitsOf, writeOrderSteps } from './write.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

const RETURNED = 'Another amount arrived than was requested; the payment may be refunded, and nothing is sent again.';

/** Settling again in the same way changes nothing. Refuses an order that is not held for a mismatch. */
export async function settleMismatch(
  { db, clock }: Deps,
  id: string,
  as: MismatchSettlement,
  accountId?: string,
): Promise<Order> {
  const now = clock.now();
  return db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    if (!before || (accountId !== undefined && before.accountId !== accountId)) throw noSuch('crypto transaction');
    if (before.settledAs === as) return before;
    if (before.settledAs || before.ended || before.hold?.reason !== 'transfer_mismatched') {
      throw new AppError('wrong_state', 'This order has no transfer that an operator can settle.');
    }
    const payout = await findPayoutOfOwner(tx, before.id, before.accountId);
    assert(payout, 'an order held for a mismatch has a payout');
    await post(tx, before, payout, as, now);
    if (as === 'returned') await releaseMoney(tx, before);
    const [after] = await writeOrderSteps(tx, [{ before, step: settled(before, as, now), payout }], now);
    assert(after);
    return after;
  });
}

function settled(order: Order, as: MismatchSettlement, at: Date): OrderStep {
  if (as === 'returned') return { after: { ...order, settledAs: as, lastError: RETURNED } };
  const { after } = resumed({ ...order, settledAs: as, settlementDate: at });
  return after.status === 'fulfilling'
    ? { after: moved(after, 'fulfilled'), event: 'fulfilled' }
    : { after, event: 'resumed' };
}

/** The amount no longer owed when it counts as delivered; the amount lost when the money goes back. */
async function post(tx: Sql, order: Order, payout: Payout, as: MismatchSettlement, at: Date): Promise<void> {
  const left = sentUnits(payout);
  const units = as === 'delivered' ? unitsOf(order) - left : -left;
  if (units === 0n) return;
  const { accountId, symbol, network } = payout;
  const entry = { id: uuidV7(at), accountId, at, orderId: order.id, payoutId: payout.id, symbol, network, units };
  await postEntries(tx, [mismatchSettledEntry(entry)]);
}

async function releaseMoney(tx: Sql, order: Order): Promise<void> {
  const charge = await lockChargeOf(tx, order);
  if (charge) await commitMoney(tx, [{ charge, cents: 0n }]);
}
