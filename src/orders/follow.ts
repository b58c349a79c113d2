// The job `order.follow`: applies every step of an order that is due because of its charge or the time. It is idempotent: it may
// run any number of times, early or late.
import assert from 'node:assert/strict';
import type { Chains } from '../chains/chain.ts';
import type { Charge } from '../charges/charge.ts';
import { lockCharges } from '../charges/store/charges.ts';
import type { WriteDeps } from '../charges/write.ts';
import { handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../jobs/job.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import { CLAIM } from '../payouts/jobs.ts';
import type { Database, Sql } from '../storage/database.ts';
import { findWallet } from '../wallets/store.ts';
import { approvalsWithoutReporters } from './approver.ts';
import { FOLLOW_ORDER } from './charge-follower.ts';
import { nextStep, unapproved, waitsForCredit } from './life.ts';
import type { Order } from './order.ts';
import type { SettlementRules } from './settlement.ts';
import { lockOrder } from './store.ts';
import { restoreTimers, writeOrderStep } from './write.ts';

export type FollowDeps = WriteDeps & {
  readonly db: Database;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly settlement: SettlementRules;
};

/** A limit: no order has this many steps due at once. */
const MAX_STEPS = 10;

export async function followOrder(deps: FollowDeps, { orderId }: PayloadOf<typeof FOLLOW_ORDER>): Promise<JobOutcome> {
  await deps.db.transaction(tx => catchUp(deps, tx, orderId));
  return 'done';
}

/** Applies every step that is due, in the caller's transaction. */
export async function catchUp(deps: FollowDeps, tx: Sql, id: string): Promise<Order | undefined> {
  let order = await lockOrder(tx, id);
  if (!order) return undefined;
  const charge = await lockChargeOf(tx, order);
  const now = deps.clock.now();
  const kept = await approvalsWithoutReporters(tx, order);
  if (kept) order = await writeOrderStep(tx, order, unapproved(order, kept), now);
  // Only an order that has ended needs it.
  const hasWallet = order.ended !== undefined && (await findWallet(tx, order.walletId)) !== undefined;
  const context = { charge, hasWallet, rules: deps.settlement, now, newId: () => uuidV7(now) };
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = nextStep(order, context);
    if (!step) {
      await restoreTimers(tx, order, now, waitsForCredit(order, charge, now));
      await joinLine(deps, tx, order);
      return order;
    }
    order = await writeOrderStep(tx, order, step, now);
  }
  assert.fail(`an order has more than ${MAX_STEPS} steps due at once`);
}

/** Wakes the job that gives slots to waiting orders. It skips locked orders, so it is woken again. */
export async function joinLine(
  { queue }: Pick<FollowDeps, 'queue'>,
  tx: Sql,
  { network, waitsSince }: Order,
): Promise<void> {
  if (waitsSince) await queue.enqueue(tx, CLAIM[network], [{ network }]);
}

export async function lockChargeOf(tx: Sql, { chargeId }: Order): Promise<Charge | undefined> {
  if (chargeId === undefined) return undefined;
  const [charge] = await lockCharges(tx, [chargeId]);
  return charge;
}

export function followJobs(deps: FollowDeps): JobHandler[] {
  return [handleJob(FOLLOW_ORDER, payload => followOrder(deps, payload))];
}
