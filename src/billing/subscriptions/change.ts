// Changes what a subscription is charged, from its next cycle on, and moves it to another plan.
import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '../../charges/charge.ts';
import { AppError, type Fault, invalidRequest } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { isUniqueViolation } from '../../storage/faults.ts';
import { changed } from '../changed.ts';
import { checkAutomatic, checkDay } from '../plans/check.ts';
import { dayNumberOf, isOfWeeks } from '../plans/cycle-days.ts';
import type { Plan } from '../plans/plan.ts';
import { findPlan } from '../plans/store.ts';
import type { SubscriptionFollowDeps } from './follow.ts';
import { hasEnded, type Standing, termsChanged } from './life.ts';
import { type OwnTerms, termsOf, withOwnTerms } from './own-terms.ts';
import { lockSubscription } from './require.ts';
import type { Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

/** What is not named stays; null removes. */
export type SubscriptionChanges = Omit<OwnTerms, 'cycles'> & {
  readonly planId?: string;
  readonly day?: number;
  readonly cycles?: number | null;
  readonly externalId?: string | null;
  readonly metadata?: Metadata | null;
};

/**
 * Another plan brings all of its terms, and what is named beside it goes before them. Cycles that have a charge keep it. Refuses a change
 * of one that has ended, fewer cycles than were charged, and a plan that has no further cycle, unless the request names their number. Without a difference nothing is written.
 */
export async function changeSubscription(
  deps: SubscriptionFollowDeps,
  id: string,
  changes: SubscriptionChanges,
  accountId?: string,
): Promise<Subscription> {
  const now = deps.clock.now();
  try {
    return await deps.db.transaction(async tx => {
      const standing = await lockSubscription(tx, id, now, { accountId });
      const { subscription } = standing;
      if (hasEnded(subscription)) {
        throw new AppError('wrong_state', `A subscription that is ${subscription.status} cannot be changed.`);
      }
      const after = await withChanges(tx, standing, changes);
      if (isDeepStrictEqual(after, subscription)) return subscription;
      return (await writeStep(deps, tx, termsChanged(standing, after, now), now)).subscription;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('external_id_conflict', 'Another subscription of this account has this externalId.');
  }
}

async function withChanges(
  tx: Sql,
  { subscription, cycles: known }: Standing,
  { planId, day, cycles, externalId, metadata, ...own }: SubscriptionChanges,
): Promise<Subscription> {
  const isMoved = planId !== undefined && planId !== subscription.planId;
  const plan = isMoved ? await findPlan(tx, planId, subscription.accountId) : undefined;
  const faults: Fault[] = [];
  if (isMoved && !plan) faults.push({ path: 'planId', code: 'not_found', message: 'must be a plan of this account' });
  if (plan?.isArchived) faults.push({ path: 'planId', code: 'archived', message: 'is archived' });
  const moved = plan ? movedTo(subscription, plan, known.at(-1)!.day) : subscription;
  faults.push(...checkDay(moved.interval, day), ...checkAutomatic(withOwnTerms(moved, own)));
  const charged = known.findLast(({ status }) => status !== 'waiting')?.number ?? 0;
  if (typeof cycles === 'number' && cycles < charged) {
    faults.push({ path: 'cycles', code: 'too_few', message: `must not be less than the ${charged} that were charged` });
  }
  // It would end without a word about that in the request.
  if (cycles === undefined && plan?.cycles !== undefined && plan.cycles <= charged) {
    const message = `has ${plan.cycles} cycles, and ${charged} were charged: give cycles too`;
    faults.push({ path: 'planId', code: 'too_few_cycles', message });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  const given = { day, cycles, externalId, metadata };
  return changed(withOwnTerms(moved, own), given);
}

/** A day of the week says nothing about months, nor the other way round: then the next cycle gives it. */
function movedTo(
  { cycles: _, finePercent: __, interestPercent: ___, ...subscription }: Subscription,
  plan: Plan,
  nextDay: string,
): Subscription {
  const isAlike = isOfWeeks(plan.interval) === isOfWeeks(subscription.interval);
  const day = plan.day ?? (isAlike ? subscription.day : dayNumberOf(plan.interval, nextDay));
  return { ...subscription, ...termsOf(plan), planId: plan.id, day };
}
