// The job `subscription.follow`: what became of a charge goes to its cycle. It reads the charge as it is now, so it may run any number of
// times, early or late.
import type { Charge } from '../../charges/charge.ts';
import { wasPaidUp } from '../../charges/life.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { WriteDeps } from '../../charges/write.ts';
import { handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { FOLLOW_SUBSCRIPTION } from './charge-follower.ts';
import { type CollectCycleDeps, collectCycle } from './collect-cycle.ts';
import { type ChargeNews, chargeChanged, type Standing } from './life.ts';
import { type OrderCycleDeps, orderCycle } from './order-cycle.ts';
import { lockStandings } from './store.ts';
import type { Cycle, Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

export type SubscriptionFollowDeps = WriteDeps & { readonly db: Database; readonly clock: Clock };

export function subscriptionJobs(deps: SubscriptionFollowDeps & CollectCycleDeps & OrderCycleDeps): JobHandler[] {
  return [handleJob(FOLLOW_SUBSCRIPTION, payload => followCharge(deps, payload))];
}

async function followCharge(
  deps: SubscriptionFollowDeps & CollectCycleDeps & OrderCycleDeps,
  payload: PayloadOf<typeof FOLLOW_SUBSCRIPTION>,
): Promise<JobOutcome> {
  const { subscriptionId, chargeId } = payload;
  const followed = await deps.db.transaction(tx => catchUp(deps, tx, subscriptionId, chargeId));
  if (!followed) return 'done';
  const { subscription, charge } = followed;
  const collected = await collectCycle(deps, payload, subscription, charge);
  return collected === 'done' ? orderCycle(deps, subscription, charge) : collected;
}

type Followed = { readonly subscription: Subscription; readonly charge: Charge };

async function catchUp(
  deps: SubscriptionFollowDeps,
  tx: Sql,
  subscriptionId: string,
  chargeId: string,
): Promise<Followed | undefined> {
  let [standing] = await lockStandings(tx, [subscriptionId], { ofCharge: chargeId });
  const charge = await findCharge(tx, chargeId);
  if (!standing || !charge) return undefined;
  const now = deps.clock.now();
  const cycleOf = ({ cycles }: Standing) => cycles.find(({ number }) => number === charge.cycleNumber);
  for (const news of newsOf(charge, cycleOf(standing), now)) {
    const cycle = cycleOf(standing);
    const step = cycle && chargeChanged(standing, cycle, news);
    if (step) standing = await writeStep(deps, tx, step, now);
  }
  return { subscription: standing.subscription, charge };
}

const ENDS = { CANCELED: 'canceled', EXPIRED: 'expired', FAILED: 'failed' } as const;

/** A charge whose money went back was paid before. That is news of its own cycle, and once. */
function newsOf(charge: Charge, cycle: Cycle | undefined, now: Date): ChargeNews[] {
  const { id: chargeId, state } = charge;
  if (wasPaidUp(charge)) {
    const paid = { chargeId, kind: 'paid', at: charge.payments.at(-1)?.paidAt ?? now } as const;
    if (state !== 'REFUNDED') return [paid];
    const isNews = cycle?.chargeId === chargeId && cycle.status !== 'refunded';
    return isNews ? [paid, { chargeId, kind: 'refunded', at: now }] : [];
  }
  if (state === 'CANCELED' || state === 'EXPIRED' || state === 'FAILED') {
    const reason = charge.methods.find(method => method.reason !== undefined)?.reason;
    return [{ chargeId, kind: ENDS[state], at: now, ...(reason !== undefined && { reason }) }];
  }
  return [{ chargeId, kind: 'due_changed', at: now, dueDay: civilDay(charge.dueAt) }];
}
