// Following the money: the job `transaction.follow` brings an order to where its charge and the time say it is. Told once or
// often, early or late, it comes to the same.
import assert from 'node:assert/strict';
import type { Chains } from '../chains/chain.ts';
import type { LivingCharge } from '../charges/charge.ts';
import { lockCharges } from '../charges/store.ts';
import { UndecidedError } from '../charges/undecided.ts';
import type { Jobs, Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import { knowsSender, openPayout } from './claim.ts';
import { nextStep, SILENT, waitsForCredit, worded } from './life.ts';
import type { SettlementRules } from './settlement.ts';
import { findOrder, lockOrder } from './store-orders.ts';
import type { Order } from './transaction.ts';
import { keepWaiting, writeOrderStep } from './write.ts';

export type FollowDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly settlement: SettlementRules;
};

/** No order has more steps due at one moment. */
const MAX_STEPS = 10;

export async function followOrder(
  deps: FollowDeps,
  { accountId, transactionId }: Jobs['transaction.follow'],
): Promise<void> {
  await deps.clock.refresh();
  const order = await findOrder(deps.db, transactionId, accountId);
  if (!order) return;
  // The chain is asked before anything is held.
  const canClaim = order.ended !== undefined || (await knowsSender(deps, order.network));
  const after = await deps.db.transaction(tx => catchUp(deps, tx, transactionId, canClaim));
  if (after?.isWaitingForSender) throw new UndecidedError();
  deps.queue.nudge('transaction.fulfill');
}

/** Takes every step that is due, in the caller's transaction. */
export async function catchUp(
  deps: FollowDeps,
  tx: Sql,
  id: string,
  canClaim: boolean,
): Promise<{ order: Order; isWaitingForSender: boolean } | undefined> {
  let order = await lockOrder(tx, id);
  if (!order) return undefined;
  const charge = await lockedCharge(tx, order);
  const now = deps.clock.now();
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = nextStep(order, { charge, rules: deps.settlement, now, newId: () => uuidV7(now) });
    if (!step) {
      await keepWaiting(tx, order, now, waitsForCredit(order, charge, now));
      return { order, isWaitingForSender: false };
    }
    if (step.event === 'fulfilling' && !canClaim) {
      const told = worded(order, SILENT);
      return { order: told ? await writeOrderStep(tx, order, told, now) : order, isWaitingForSender: true };
    }
    order = await writeOrderStep(tx, order, step, now);
    if (step.event === 'fulfilling') {
      assert(charge, 'an order that is paid has a charge');
      await openPayout(deps, tx, order, charge, now);
    }
  }
  throw new Error('an order keeps stepping');
}

export async function lockedCharge(tx: Sql, { chargeId }: Order): Promise<LivingCharge | undefined> {
  if (chargeId === undefined) return undefined;
  const [charge] = await lockCharges(tx, [chargeId]);
  return charge;
}
