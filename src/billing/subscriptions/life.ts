// The life of a subscription as pure functions: what it is now and what happened give what it is then. The caller holds the lock of its
// row, so no other transaction changes it or its cycles between read and write.
import assert from 'node:assert/strict';
import { addDays, type CivilDay, civilDay, momentOn } from '../../lib/civil-days.ts';
import { dayAfter, dayFrom, firstDay, startOf } from '../plans/cycle-days.ts';
import {
  type CancelReason,
  CYCLE_TRANSITIONS,
  type Cycle,
  type CycleStatus,
  SUBSCRIPTION_TRANSITIONS,
  type Subscription,
  type SubscriptionEvent,
  type SubscriptionStatus,
} from './subscription.ts';

/**
 * A subscription with the cycles that a step may need: those that wait or are open, the oldest that are past due, and the last one that
 * was charged.
 */
export type Standing = { readonly subscription: Subscription; readonly cycles: readonly Cycle[] };

/** An event of a step, with its cycle. */
export type StepEvent = { readonly event: SubscriptionEvent; readonly cycle?: Cycle };

/** The standing after a step, with its events, and the charges that are no longer due. */
export type Step = {
  readonly after: Standing;
  readonly events: readonly StepEvent[];
  readonly withdrawn: readonly string[];
};

export function hasEnded({ status }: Pick<Subscription, 'status'>): boolean {
  return SUBSCRIPTION_TRANSITIONS[status].length === 0;
}

/** It has no charge, and is to get one: before its day, or after it when no charge could be made in time. */
export function isUncharged({ status, chargeId }: Pick<Cycle, 'status' | 'chargeId'>): boolean {
  return status === 'waiting' || (status === 'past_due' && chargeId === undefined);
}

/** Where it stands, with nothing that happened. */
export function asItIs(standing: Standing): Step {
  return { after: standing, events: [], withdrawn: [] };
}

/** A new subscription with its first cycle. */
export function begun(subscription: Subscription, day: CivilDay): Step {
  const after = { subscription, cycles: [waiting(subscription, 1, day)] };
  return { after, events: [{ event: 'subscription.created' }], withdrawn: [] };
}

/** The trial is over. */
export function activated(before: Standing): Step {
  return restated(moved(before, 'active'), [{ event: 'subscription.activated' }]);
}

/** What the charge of a cycle asks for. A late cycle is due today: the customer has not been asked before. */
export function chargeTerms({ amountCents, currency }: Subscription, { day }: Cycle, at: Date) {
  const today = civilDay(at);
  return { amountCents, currency, dueDay: day < today ? today : day };
}

/** A cycle has its charge. The cycle after it waits from now on. */
export function charged(
  before: Standing,
  cycle: Cycle,
  charge: Required<Pick<Cycle, 'amountCents' | 'currency' | 'dueDay' | 'chargeId'>>,
): Step {
  const { reason: _, retryAt: __, ...asked } = cycle;
  const open = cycleMoved({ ...asked, ...charge }, 'open');
  return restated(withNext(replaced(before, open), open), [{ event: 'subscription.charged', cycle: open }]);
}

const HOUR_MS = 3_600_000;
const MAX_HOURS_TO_RETRY = 24;

/** No charge can be made for a cycle: it is retried with growing waits, at least once a day. Only a new reason is an event. */
export function refused(before: Standing, cycle: Cycle, reason: string, at: Date): Step {
  const hours = Math.min(2 ** cycle.attempts, MAX_HOURS_TO_RETRY);
  const again = {
    ...withoutCharge(cycle),
    attempts: cycle.attempts + 1,
    reason,
    retryAt: new Date(at.getTime() + hours * HOUR_MS),
  };
  const waits = cycle.status === 'open' ? cycleMoved(again, 'waiting') : again;
  const isNews = cycle.reason !== reason || !isUncharged(cycle);
  const events: StepEvent[] = isNews ? [{ event: 'subscription.charge_failed', cycle: waits }] : [];
  return restated(replaced(before, waits), events);
}

/** A cycle was not paid in time. */
export function fellDue(before: Standing, cycle: Cycle): Step {
  return stepWith(before, cycleMoved(cycle, 'past_due'), 'subscription.past_due');
}

/** A cycle that is to be paid is owed no more: its charge is withdrawn. Where it had none, the next cycle waits from now on. */
export function forgiven(before: Standing, cycle: Cycle): Step {
  const { retryAt: _, ...rest } = cycle;
  const gone = cycleMoved(rest, 'canceled');
  const { after, events } = restated(withNext(replaced(before, gone), gone), [
    { event: 'subscription.forgiven', cycle: gone },
  ]);
  return { after, events, withdrawn: cycle.chargeId === undefined ? [] : [cycle.chargeId] };
}

/** A cycle was not paid for as long as the plan waits. */
export function gaveUp(before: Standing, at: Date): Step {
  return before.subscription.unpaidAction === 'pause' ? paused(before, at) : canceled(before, at, 'unpaid');
}

/** What happened to the charge of a cycle. `isOwn` is false of a charge that the cycle has replaced. */
export type ChargeNews = {
  readonly chargeId: string;
  readonly kind: 'paid' | 'refunded' | 'expired' | 'canceled' | 'failed' | 'due_changed';
  readonly at: Date;
  readonly reason?: string;
  readonly dueDay?: CivilDay;
};

/** How a change of a charge affects its cycle; undefined when it does not. */
export function chargeChanged(before: Standing, cycle: Cycle, news: ChargeNews): Step | undefined {
  const { status, chargeId } = cycle;
  const isOwn = chargeId === news.chargeId;
  const isUnpaid = status === 'open' || status === 'past_due';
  switch (news.kind) {
    case 'paid':
      return status === 'paid' ? undefined : paid(before, cycle, news);
    case 'refunded':
      if (status !== 'paid' || !isOwn) return undefined;
      return refundedWhole(before, cycle);
    case 'expired':
      return status === 'open' && isOwn ? fellDue(before, cycle) : undefined;
    case 'canceled':
      return isUnpaid && isOwn ? restated(replaced(before, cycleMoved(cycle, 'canceled')), []) : undefined;
    case 'failed':
      if (!isUnpaid || !isOwn) return undefined;
      return hasEnded(before.subscription)
        ? restated(replaced(before, cycleMoved(cycle, 'canceled')), [])
        : refused(before, cycle, news.reason ?? 'Its charge failed.', news.at);
    case 'due_changed':
      return isUnpaid && isOwn ? dueChanged(before, cycle, news) : undefined;
  }
}

/** It buys nothing more. An order that was made goes by its charge. */
function refundedWhole(before: Standing, { orderReason: _, ...cycle }: Cycle): Step {
  return stepWith(before, cycleMoved(cycle, 'refunded'), 'subscription.refunded');
}

/** A charge that was made in its place is needed no more. */
function paid(before: Standing, cycle: Cycle, { chargeId, at }: ChargeNews): Step {
  const { reason: _, retryAt: __, ...rest } = cycle;
  const done = cycleMoved({ ...rest, chargeId, paidAt: at }, 'paid');
  const after = isUncharged(cycle) ? withNext(replaced(before, done), done) : replaced(before, done);
  const { events, ...made } = restated(after, [{ event: 'subscription.paid', cycle: done }]);
  const isReplaced = cycle.chargeId !== undefined && cycle.chargeId !== chargeId;
  return { ...made, events, withdrawn: isReplaced ? [cycle.chargeId] : [] };
}

function dueChanged(before: Standing, cycle: Cycle, { dueDay, at }: ChargeNews): Step | undefined {
  if (dueDay === undefined || dueDay === cycle.dueDay) return undefined;
  const later = { ...cycle, dueDay };
  const isLate = momentOn(addDays(dueDay, before.subscription.pastDueAfterDays + 1)) <= at;
  const isOpenAgain = cycle.status === 'past_due' && !isLate;
  return restated(replaced(before, isOpenAgain ? cycleMoved(later, 'open') : later), []);
}

/** No cycle is charged until it is resumed; the charge of one that has not begun is withdrawn. */
export function paused(before: Standing, at: Date): Step {
  const { cancelOn: _, cancelReason: __, ...subscription } = before.subscription;
  const held = takenBack({ ...before, subscription: { ...subscription, pausedAt: at } }, at);
  const after = moved(held.after, 'paused');
  return { ...held, after, events: [{ event: 'subscription.paused' }] };
}

/** Resumes at the first day of a cycle that has not passed. A cancellation that was planned is withdrawn: the subscription stays. */
export function resumed({ subscription, cycles }: Standing, at: Date): Step {
  const { cancelOn: _, cancelReason: __, pausedAt: ___, ...rest } = subscription;
  const today = civilDay(at);
  const { interval, day, trialEndDay, status } = subscription;
  const after = { subscription: { ...rest, resumedAt: at }, cycles };
  const first = toCome(cycles)[0]?.day;
  const isBehind = status === 'paused' && first !== undefined && first < today;
  const onward = isBehind ? rescheduled(after, dayFrom(interval, day, first, today)) : after;
  const isLate = cycles.some(cycle => cycle.status === 'past_due');
  const back = trialEndDay !== undefined && today < trialEndDay ? 'trialing' : isLate ? 'past_due' : 'active';
  return step(status === 'paused' ? moved(onward, back) : onward, [{ event: 'subscription.resumed' }]);
}

/** Ends when the paid period ends: on the day of the next unpaid cycle. */
export function cancelPlanned(before: Standing, at: Date, cancelReason: CancelReason): Step {
  const { after, withdrawn } = takenBack(before, at);
  const { interval, day } = after.subscription;
  const today = civilDay(at);
  const next = after.cycles.find(cycle => cycle.status === 'waiting' && cycle.day > today);
  const cancelOn = next?.day ?? dayFrom(interval, day, after.cycles.at(-1)!.day, addDays(today, 1));
  const subscription = { ...after.subscription, cancelOn, cancelReason };
  return { after: { ...after, subscription }, events: [{ event: 'subscription.updated' }], withdrawn };
}

/** Ends it now. What has begun stays owed, unless `forgives`: then every open charge is withdrawn. */
export function canceled(before: Standing, at: Date, reason: CancelReason, forgives = false): Step {
  const { after, withdrawn } = takenBack(before, at);
  const gone = after.cycles.filter(cycle => isUncharged(cycle) || (forgives && PENDING.includes(cycle.status)));
  const forgiven = gone.flatMap(({ chargeId }) => chargeId ?? []);
  const ended = gone.reduce((so, cycle) => replaced(so, cycleMoved(cycle, 'canceled')), after);
  const { cancelOn: _, pausedAt: __, ...subscription } = ended.subscription;
  const marked = { ...ended, subscription: { ...subscription, cancelReason: reason, endedAt: at } };
  return {
    after: moved(marked, 'canceled'),
    events: [{ event: 'subscription.canceled' }],
    withdrawn: [...withdrawn, ...forgiven],
  };
}

/** From the next cycle on. Another day moves it within its week or month, or to the one after when that is over. */
export function termsChanged({ subscription, cycles }: Standing, changed: Subscription, at: Date): Step {
  const { interval, day } = changed;
  const [waits] = toCome(cycles);
  const isMoved = waits && (day !== subscription.day || interval !== subscription.interval);
  const last = cycles.filter(({ status }) => status !== 'waiting').map(cycle => addDays(cycle.day, 1));
  const from = isMoved && [startOf(interval, waits.day), civilDay(at), ...last].sort().at(-1);
  const standing = { subscription: changed, cycles };
  const onward = from ? rescheduled(standing, firstDay(interval, day, from)) : standing;
  const newest = onward.cycles.at(-1)!;
  const after = isUncharged(newest) ? onward : withNext(onward, newest);
  return completed(step(after, [{ event: 'subscription.updated' }]));
}

/** Another wallet for the orders that are not made yet; no cycle changes. */
export function walletChanged({ cycles }: Standing, changed: Subscription): Step {
  return step({ subscription: changed, cycles }, [{ event: 'subscription.updated' }]);
}

/** It has its charge ahead of its day. */
export function hasNotBegun({ status, day }: Cycle, today: CivilDay): boolean {
  return status === 'open' && day > today;
}

/** Charges of cycles that have not begun are withdrawn, and those cycles wait again. One that was paid in part stays owed. */
function takenBack(before: Standing, at: Date): Omit<Step, 'events'> {
  const today = civilDay(at);
  const ahead = before.cycles.filter(cycle => hasNotBegun(cycle, today) && !cycle.hasMoney);
  const after = ahead.reduce((so, cycle) => replaced(so, cycleMoved(withoutCharge(cycle), 'waiting')), before);
  return { after, withdrawn: ahead.flatMap(({ chargeId }) => chargeId ?? []) };
}

function withoutCharge(cycle: Cycle): Cycle {
  const { chargeId: _, dueDay: __, amountCents: ___, currency: ____, collectionId: _____, ...rest } = cycle;
  const { fallbackReason: ______, ...uncharged } = rest;
  return uncharged;
}

/** The waiting cycles after the last charged one; an earlier one keeps its day in any case. */
function toCome(cycles: readonly Cycle[]): readonly Cycle[] {
  return cycles.slice(cycles.findLastIndex(({ status }) => status !== 'waiting') + 1);
}

/** The cycles to come, from this day on. */
function rescheduled({ subscription, cycles }: Standing, first: CivilDay): Standing {
  let next = first;
  const moving = toCome(cycles);
  const onward = cycles.map(cycle => {
    if (!moving.includes(cycle)) return cycle;
    const day = next;
    next = dayAfter(subscription.interval, subscription.day, day);
    return { ...cycle, day };
  });
  return { subscription, cycles: onward };
}

function waiting({ id, accountId }: Subscription, number: number, day: CivilDay): Cycle {
  return { subscriptionId: id, accountId, number, day, status: 'waiting', attempts: 0 };
}

/** Days that passed while it was paused are not charged. */
function withNext({ subscription, cycles }: Standing, { number, day }: Cycle): Standing {
  const isLast = number === subscription.cycles;
  if (isLast || cycles.some(cycle => cycle.number > number)) return { subscription, cycles };
  const { interval, day: dayNumber, resumedAt } = subscription;
  const following = dayAfter(interval, dayNumber, day);
  const next = resumedAt ? dayFrom(interval, dayNumber, following, civilDay(resumedAt)) : following;
  return { subscription, cycles: [...cycles, waiting(subscription, number + 1, next)] };
}

export function replaced({ subscription, cycles }: Standing, cycle: Cycle): Standing {
  return { subscription, cycles: cycles.map(one => (one.number === cycle.number ? cycle : one)) };
}

function step(after: Standing, events: readonly StepEvent[]): Step {
  return { after, events, withdrawn: [] };
}

function stepWith(before: Standing, cycle: Cycle, event: SubscriptionEvent): Step {
  return restated(replaced(before, cycle), [{ event, cycle }]);
}

const PENDING: readonly CycleStatus[] = ['waiting', 'open', 'past_due'];

/** One that waits behind the last cycle is never charged. */
function isPending({ cycles }: Subscription, cycle: Cycle): boolean {
  return PENDING.includes(cycle.status) && (!isUncharged(cycle) || cycle.number <= (cycles ?? cycle.number));
}

/** The status follows the cycles: past due while any cycle is, else active, and completed when nothing is left to pay. */
function restated(after: Standing, events: readonly StepEvent[]): Step {
  const isLate = after.cycles.some(({ status }) => status === 'past_due');
  const { status } = after.subscription;
  if (status === 'active' && isLate) return step(moved(after, 'past_due'), events);
  if (status !== 'past_due' || isLate) return completed(step(after, events));
  return completed(step(moved(after, 'active'), [...events, { event: 'subscription.activated' }]));
}

function completed({ after, events, withdrawn }: Step): Step {
  const { status } = after.subscription;
  const isOver = !after.cycles.some(cycle => isPending(after.subscription, cycle));
  if (!isOver || hasEnded({ status }) || status === 'trialing') return { after, events, withdrawn };
  const kept = events.filter(({ event }) => event !== 'subscription.activated');
  return { after: moved(after, 'completed'), events: [...kept, { event: 'subscription.completed' }], withdrawn };
}

/** A transition that the table does not list is a bug: it fails. */
function moved({ subscription, cycles }: Standing, to: SubscriptionStatus): Standing {
  const allowed: readonly SubscriptionStatus[] = SUBSCRIPTION_TRANSITIONS[subscription.status];
  assert(allowed.includes(to), `a subscription does not go from ${subscription.status} to ${to}`);
  return { subscription: { ...subscription, status: to }, cycles };
}

function cycleMoved(cycle: Cycle, to: CycleStatus): Cycle {
  const allowed: readonly CycleStatus[] = CYCLE_TRANSITIONS[cycle.status];
  assert(allowed.includes(to), `a cycle does not go from ${cycle.status} to ${to}`);
  return { ...cycle, status: to };
}
