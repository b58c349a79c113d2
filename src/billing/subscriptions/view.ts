// A subscription as the API and its events show it. Its schema is `SubscriptionView` in api/; JSON leaves out what is undefined.
import type { Links } from '../../charges/links/links.ts';
import { addDays } from '../../lib/civil-days.ts';
import { termsView } from '../plans/view.ts';
import { isToCharge } from './moments.ts';
import type { Cycle, Subscription } from './subscription.ts';

export function subscriptionView(links: Links, subscription: Subscription) {
  const { metadata, pausedAt, endedAt, createdAt, updatedAt } = subscription;
  return {
    id: subscription.id,
    accountId: subscription.accountId,
    externalId: subscription.externalId,
    planId: subscription.planId,
    customerId: subscription.customerId,
    status: subscription.status,
    ...termsView(subscription),
    walletId: subscription.walletId,
    day: subscription.day,
    trialEndDay: subscription.trialEndDay,
    cancelOn: subscription.cancelOn,
    cancelReason: subscription.cancelReason,
    metadata,
    checkoutUrl: links.subscriptionUrl(subscription),
    pausedAt: pausedAt?.toISOString(),
    endedAt: endedAt?.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function cycleView(cycle: Cycle) {
  const { number, day, status, amountCents, currency, dueDay, chargeId, reason, retryAt, paidAt, collectionId } = cycle;
  return {
    number,
    day,
    status,
    amountCents: amountCents === undefined ? undefined : Number(amountCents),
    currency,
    dueDay,
    chargeId,
    collectionId,
    fallbackReason: cycle.fallbackReason,
    reason,
    retryAt: retryAt?.toISOString(),
    paidAt: paidAt?.toISOString(),
    orderId: cycle.orderId,
    orderReason: cycle.orderReason,
  };
}

/** What comes next, if anything does: the first cycle that has no charge yet, and the day from which it is made. */
export function nextCycleView(subscription: Subscription, cycles: readonly Cycle[]) {
  const next = cycles.find(cycle => isToCharge(subscription, cycle));
  if (!next || subscription.status === 'paused') return undefined;
  const { number, day, reason } = next;
  return { number, day, chargeDay: addDays(day, -subscription.daysAhead), reason };
}
