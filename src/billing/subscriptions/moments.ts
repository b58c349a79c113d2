// What time makes due of a subscription, and when: the charge of a cycle, cycles that are not paid, the end. Pure.
import { addDays, civilDay, momentOn } from '../../lib/civil-days.ts';
import { hasEnded, isUncharged, type Standing } from './life.ts';
import type { Cycle, Subscription } from './subscription.ts';

/** What time makes due. */
export type Moment =
  | { readonly at: Date; readonly kind: 'end' | 'activate' | 'give_up' }
  | { readonly at: Date; readonly kind: 'charge'; readonly cycle: Cycle }
  | { readonly at: Date; readonly kind: 'fall_due'; readonly cycle: Cycle };

/** The earliest thing that time makes due; of those at the same moment the first of this list. */
export function nextMoment({ subscription, cycles }: Standing): Moment | undefined {
  const { status, cancelOn, trialEndDay, daysAhead, pastDueAfterDays, unpaidAction, unpaidAfterDays } = subscription;
  // Resuming it by hand gives as much time again.
  const resumedDay = subscription.resumedAt && civilDay(subscription.resumedAt);
  if (hasEnded(subscription)) return undefined;
  const moments: Moment[] = [];
  if (cancelOn !== undefined) moments.push({ at: momentOn(cancelOn), kind: 'end' });
  if (status === 'trialing' && trialEndDay !== undefined) {
    moments.push({ at: momentOn(trialEndDay), kind: 'activate' });
  }
  for (const cycle of cycles) {
    const { day, dueDay = day, retryAt, attempts } = cycle;
    if (status !== 'paused' && isToCharge(subscription, cycle)) {
      const first = momentOn(addDays(day, -daysAhead));
      moments.push({ at: retryAt && retryAt > first ? retryAt : first, kind: 'charge', cycle });
    }
    // One that cannot be charged falls due like one that is not paid.
    const isRefused =
      cycle.status === 'waiting' && attempts > 0 && status !== 'paused' && isToCharge(subscription, cycle);
    if (cycle.status === 'open' || isRefused) {
      moments.push({ at: momentOn(addDays(dueDay, pastDueAfterDays + 1)), kind: 'fall_due', cycle });
    }
    if (cycle.status === 'past_due' && status === 'past_due' && unpaidAction !== 'keep') {
      const since = resumedDay !== undefined && resumedDay > dueDay ? resumedDay : dueDay;
      moments.push({ at: momentOn(addDays(since, unpaidAfterDays + 1)), kind: 'give_up' });
    }
  }
  return moments.reduce<Moment | undefined>((first, one) => (first && first.at <= one.at ? first : one), undefined);
}

/** A cycle that waits may be past the end that was set since. */
export function isToCharge({ cancelOn, cycles }: Subscription, cycle: Cycle): boolean {
  return (
    isUncharged(cycle) && (cancelOn === undefined || cycle.day < cancelOn) && cycle.number <= (cycles ?? cycle.number)
  );
}
