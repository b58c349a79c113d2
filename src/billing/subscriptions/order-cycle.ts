// Makes the order of a cycle whose charge is paid: its money buys crypto at the price of now. It may run any number of times: the order and
// its id at the cycle are written in one transaction, under the lock of the subscription.
import assert from 'node:assert/strict';
import type { Charge } from '../../charges/charge.ts';
import { keptCents } from '../../charges/life.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import { isOutage, isOutageOfOthers } from '../../lib/errors.ts';
import { type PaidOrderDeps, prepareOrderOf, writeOrderOf } from '../../orders/order-of-paid.ts';
import { isExpired } from '../../quotes/quote.ts';
import { buysCrypto } from '../plans/plan.ts';
import { refusalOf } from './charge-cycle.ts';
import { awaitsOrder, ordered, orderRefused } from './cycle-notes.ts';
import type { Step } from './life.ts';
import { findCycleOfCharge, lockStandings } from './store.ts';
import type { Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

export type OrderCycleDeps = PaidOrderDeps & Parameters<typeof writeStep>[0];

type Prepared = Awaited<ReturnType<typeof prepareOrderOf>>;

/** `postponed`: the order is refused for now, as for a wallet that may not receive; the reason stands at the cycle. */
export async function orderCycle(
  deps: OrderCycleDeps,
  subscription: Subscription,
  charge: Charge,
): Promise<JobOutcome> {
  if (!charge.isForCrypto || keptCents(charge) <= 0n) return 'done';
  const cycle = await findCycleOfCharge(deps.db, charge.id);
  if (!cycle || !awaitsOrder(cycle)) return 'done';
  const prepared = await prepare(deps, subscription, charge);
  const isWritten = await write(deps, subscription.id, charge.id, prepared);
  return isWritten ? 'done' : 'postponed';
}

/** The order, or why none can be made now. What this service itself lacks for a moment is no reason to keep. */
async function prepare(deps: OrderCycleDeps, subscription: Subscription, charge: Charge): Promise<Prepared | string> {
  assert(buysCrypto(subscription) && subscription.walletId !== undefined, 'what a subscription buys never changes');
  const { walletId, walletBy, accountId, symbol, network, settlementSchedule } = subscription;
  const terms = { accountId, symbol, network, walletId, settlementSchedule, createdBy: walletBy };
  try {
    return await prepareOrderOf(deps, charge, terms);
  } catch (error) {
    if (isOwnOutage(error)) throw error;
    return refusalOf(error);
  }
}

function isOwnOutage(error: unknown): boolean {
  if (isOutageOfOthers(error)) return false;
  return isOutage(error) && error.code !== 'not_configured';
}

/** False when there is no order yet, and is to be one. */
async function write(
  deps: OrderCycleDeps,
  id: string,
  chargeId: string,
  prepared: Prepared | string,
): Promise<boolean> {
  return deps.db.transaction(async tx => {
    const [standing] = await lockStandings(tx, [id], { ofCharge: chargeId });
    const cycle = standing?.cycles.find(one => one.chargeId === chargeId);
    if (!standing || !cycle || !awaitsOrder(cycle)) return true;
    const now = deps.clock.now();
    const note = async (step: Step | undefined) => void (step && (await writeStep(deps, tx, step, now)));
    if (typeof prepared === 'string') {
      await note(orderRefused(standing, cycle, prepared));
      return false;
    }
    const [charge] = await lockCharges(tx, [chargeId]);
    // All of it has gone back, or is about to.
    if (!charge || keptCents(charge) <= 0n) return true;
    const isOtherWallet = prepared.order.walletId !== standing.subscription.walletId;
    if (isOtherWallet || isExpired(prepared.quote, now)) return false;
    await writeOrderOf(deps, tx, prepared, charge);
    await note(ordered(standing, cycle, prepared.order.id));
    return true;
  });
}
