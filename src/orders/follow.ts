// The job `order.follow`: applies every step that the charge of an order and the time make due. It is idempotent: it may
// run any number of times, early or late.
import assert from 'node:assert/strict';
import type { Chains } from '../chains/chain.ts';
import type { Charge } from '../charges/charge.ts';
import { lockCharges } from '../charges/store.ts';
import { FOLLOW_ORDER } from '../charges/wake-order.ts';
import { handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { knowsSender } from '../payouts/open.ts';
import type { Database, Sql } from '../storage/database.ts';
import { claimPayout } from './claim.ts';
import { NO_ANSWER, nextStep, waitsForCredit, withLastError } from './life.ts';
import type { Order } from './order.ts';
import type { SettlementRules } from './settlement.ts';
import { findOrder, lockOrder } from './store.ts';
import { restoreTimers, writeOrderStep } from './write.ts';

export type FollowDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly settlement: SettlementRules;
};

type FollowJobDeps = FollowDeps & { readonly log: Log };

/** A limit: no order has this many steps due at once. */
const MAX_STEPS = 10;

export async function followOrder(
  deps: FollowJobDeps,
  { accountId, orderId }: PayloadOf<typeof FOLLOW_ORDER>,
): Promise<JobOutcome> {
  const order = await findOrder(deps.db, orderId, accountId);
  if (!order) return 'done';
  // Ask the chain before the transaction locks anything.
  const canClaim = order.ended !== undefined || (await knowsSender(deps, order.network));
  const after = await deps.db.transaction(tx => catchUp(deps, tx, orderId, canClaim));
  if (!after?.isWaitingForSender) return 'done';
  deps.log.info('no node of the chain answers; the order waits for it', { orderId, network: order.network });
  return 'postponed';
}

/** Applies every step that is due, in the caller's transaction. */
export async function catchUp(
  deps: FollowDeps,
  tx: Sql,
  id: string,
  canClaim: boolean,
): Promise<{ order: Order; isWaitingForSender: boolean } | undefined> {
  let order = await lockOrder(tx, id);
  if (!order) return undefined;
  const charge = await lockChargeOf(tx, order);
  const now = deps.clock.now();
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = nextStep(order, { charge, rules: deps.settlement, now, newId: () => uuidV7(now) });
    if (!step) {
      await restoreTimers(tx, order, now, waitsForCredit(order, charge, now));
      return { order, isWaitingForSender: false };
    }
    if (step.event === 'fulfilling' && !canClaim) {
      const errorStep = withLastError(order, NO_ANSWER);
      return { order: errorStep ? await writeOrderStep(tx, order, errorStep, now) : order, isWaitingForSender: true };
    }
    order = await writeOrderStep(tx, order, step, now);
    if (step.event === 'fulfilling') {
      assert(charge, 'a paid order has a charge');
      await claimPayout(deps, tx, order, charge, now);
    }
  }
  assert.fail(`an order has more than ${MAX_STEPS} steps due at once`);
}

export async function lockChargeOf(tx: Sql, { chargeId }: Order): Promise<Charge | undefined> {
  if (chargeId === undefined) return undefined;
  const [charge] = await lockCharges(tx, [chargeId]);
  return charge;
}

export function orderJobs(deps: FollowJobDeps): JobHandler[] {
  return [handleJob(FOLLOW_ORDER, payload => followOrder(deps, payload))];
}
