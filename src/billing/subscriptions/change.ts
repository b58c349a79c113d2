// Changes what a subscription is charged, from its next cycle on, and moves it to another plan.
import { isDeepStrictEqual } from 'node:util';
import type { Metadata } from '../../charges/charge.ts';
import { currentActor } from '../../lib/audit-context.ts';
import { AppError, type Fault, invalidRequest } from '../../lib/errors.ts';
import type { BuyDeps } from '../../orders/buy.ts';
import type { Rail } from '../../rails/rail.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import type { Sql } from '../../storage/database.ts';
import { isUniqueViolation } from '../../storage/faults.ts';
import { changed } from '../changed.ts';
import { checkAutomatic, checkDay } from '../plans/check.ts';
import { dayNumberOf, isOfWeeks } from '../plans/cycle-days.ts';
import { buysCrypto, type Plan, type Terms } from '../plans/plan.ts';
import { findPlan } from '../plans/store.ts';
import { checkWallet, requireBuyable } from './buying.ts';
import type { SubscriptionFollowDeps } from './follow.ts';
import { hasEnded, type Standing, termsChanged, walletChanged } from './life.ts';
import { type OwnTerms, termsOf, withOwnTerms } from './own-terms.ts';
import { lockSubscription } from './require.ts';
import { findSubscription } from './store.ts';
import type { Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

/** What is not named stays; null removes. */
export type SubscriptionChanges = Omit<OwnTerms, 'cycles'> & {
  readonly planId?: string;
  /** For the orders that are not made yet, also of one that has ended. */
  readonly walletId?: string;
  readonly day?: number;
  readonly cycles?: number | null;
  readonly externalId?: string | null;
  readonly metadata?: Metadata | null;
};

/**
 * Another plan brings all of its terms, and what is named beside it goes before them. Cycles that have a charge keep it. Refuses a change
 * of one that has ended, except of its wallet, fewer cycles than were charged, a plan that has no further cycle, unless the request names
 * their number, and one that buys something else. Without a difference nothing is written.
 */
export async function changeSubscription(
  deps: SubscriptionFollowDeps & BuyDeps & { readonly rails: Rails },
  id: string,
  changes: SubscriptionChanges,
  accountId?: string,
): Promise<Subscription> {
  const now = deps.clock.now();
  const isWallet = isDeepStrictEqual(Object.keys(changes), ['walletId']);
  await requireBuyableAfter(deps, id, changes, accountId);
  try {
    return await deps.db.transaction(async tx => {
      const standing = await lockSubscription(tx, id, now, { accountId });
      const { subscription } = standing;
      if (hasEnded(subscription) && !isWallet) {
        throw new AppError('wrong_state', `A subscription that is ${subscription.status} cannot be changed.`);
      }
      const after = await withChanges(tx, standing, changes, railFor(deps.rails, 'pix', subscription.accountId));
      if (isDeepStrictEqual(after, subscription)) return subscription;
      const step = isWallet ? walletChanged(standing, after) : termsChanged(standing, after, now);
      return (await writeStep(deps, tx, step, now)).subscription;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('external_id_conflict', 'Another subscription of this account has this externalId.');
  }
}

/** As an order would be refused now. Another plan buys the same, so only its amount matters. */
async function requireBuyableAfter(
  deps: SubscriptionFollowDeps & BuyDeps,
  id: string,
  { planId, walletId, amountCents }: SubscriptionChanges,
  accountId: string | undefined,
): Promise<void> {
  if (planId === undefined && walletId === undefined && amountCents === undefined) return;
  const before = await findSubscription(deps.db, id, accountId);
  if (!before || !buysCrypto(before)) return;
  const plan = planId === undefined ? undefined : await findPlan(deps.db, planId, before.accountId);
  const cents = amountCents ?? plan?.amountCents ?? before.amountCents;
  const of = { accountId: before.accountId, walletId: walletId ?? before.walletId };
  await requireBuyable(deps, { ...before, amountCents: cents }, of);
}

async function withChanges(
  tx: Sql,
  { subscription, cycles: known }: Standing,
  { planId, walletId, day, cycles, externalId, metadata, ...own }: SubscriptionChanges,
  pix: Rail,
): Promise<Subscription> {
  const isMoved = planId !== undefined && planId !== subscription.planId;
  const plan = isMoved ? await findPlan(tx, planId, subscription.accountId) : undefined;
  const faults: Fault[] = [];
  if (isMoved && !plan) faults.push({ path: 'planId', code: 'not_found', message: 'must be a plan of this account' });
  if (plan?.isArchived) faults.push({ path: 'planId', code: 'archived', message: 'is archived' });
  if (plan) faults.push(...checkSameCrypto(subscription, plan));
  faults.push(...checkWallet(subscription, walletId ?? subscription.walletId));
  const moved = plan ? movedTo(subscription, plan, known.at(-1)!.day) : subscription;
  faults.push(...checkDay(moved.interval, day), ...checkAutomatic(withOwnTerms(moved, own), pix, subscription));
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
  const isOther = walletId !== undefined && walletId !== subscription.walletId;
  const wallet = isOther && { walletId, walletBy: currentActor() ?? null };
  const given = { day, cycles, externalId, metadata, ...wallet };
  return changed(withOwnTerms(moved, own), given);
}

/** Charges that are open when it changes buy what they were made for. */
function checkSameCrypto(now: Terms, { symbol, network }: Plan): Fault[] {
  if (symbol === now.symbol && network === now.network) return [];
  const message = buysCrypto(now)
    ? `must buy ${now.symbol} on ${now.network}, as the subscription does`
    : 'must buy no crypto, as the subscription does not';
  return [{ path: 'planId', code: 'other_crypto', message }];
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
