// The life of a subscription: single steps, and random histories of which each must keep what always holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTERVALS } from '../../src/billing/plans/cycle-days.ts';
import {
  activated,
  begun,
  canceled,
  cancelPlanned,
  chargeChanged,
  charged,
  chargeTerms,
  fellDue,
  gaveUp,
  hasEnded,
  paused,
  refused,
  resumed,
  type Standing,
  type Step,
  termsChanged,
} from '../../src/billing/subscriptions/life.ts';
import { nextMoment } from '../../src/billing/subscriptions/moments.ts';
import type { Cycle, Subscription } from '../../src/billing/subscriptions/subscription.ts';
import { momentOn } from '../../src/lib/civil-days.ts';
import { randomOf } from '../harness/random.ts';

const AT = momentOn('2026-11-16', 9);

const subscriptionOf = (changes: Partial<Subscription> = {}): Subscription => ({
  ...{ id: 'subscription', accountId: 'acme', planId: 'plan', customerId: 'customer', linkEpoch: 0 },
  ...{ status: 'active', amountCents: 9_900n, currency: 'BRL', interval: 'monthly', day: 31, methods: ['pix'] },
  isAutomatic: false,
  ...{ daysAhead: 5, pastDueAfterDays: 3, unpaidAction: 'keep', unpaidAfterDays: 30, description: 'Gold' },
  ...{ eventCount: 1, createdAt: AT, updatedAt: AT },
  ...changes,
});

const beginOn = (day: string, changes: Partial<Subscription> = {}) => begun(subscriptionOf(changes), day).after;
const charge = (before: Standing, cycle: Cycle, at: Date, chargeId = `charge ${cycle.number}`) =>
  charged(before, cycle, { ...chargeTerms(before.subscription, cycle, at), chargeId });
const news = (kind: 'paid' | 'refunded' | 'expired' | 'canceled' | 'failed', chargeId: string, at = AT) => ({
  kind,
  chargeId,
  at,
});
const eventsOf = ({ events }: Step) => events.map(({ event }) => event.replace('subscription.', ''));
const standingOf = ({ subscription, cycles }: Standing) => [
  subscription.status,
  ...cycles.map(({ number, day, status }) => `${number} ${day} ${status}`),
];
const dueOf = (standing: Standing) => {
  const due = nextMoment(standing);
  return due && `${due.at.toISOString().slice(0, 10)} ${due.kind}`;
};

test('a cycle is charged ahead of its day, falls due after it, and the plan then pauses', () => {
  const first = beginOn('2026-11-30', { unpaidAction: 'pause' });
  assert.equal(dueOf(first), '2026-11-25 charge');
  const open = charge(first, first.cycles[0]!, AT);
  assert.deepEqual(eventsOf(open), ['charged']);
  assert.deepEqual(standingOf(open.after), ['active', '1 2026-11-30 open', '2 2026-12-31 waiting']);
  assert.equal(dueOf(open.after), '2026-12-04 fall_due');
  const late = fellDue(open.after, open.after.cycles[0]!);
  assert.deepEqual(eventsOf(late), ['past_due']);
  assert.equal(dueOf(late.after), '2026-12-26 charge');
  const second = charge(late.after, late.after.cycles[1]!, momentOn('2026-12-26'));
  assert.equal(dueOf(second.after), '2026-12-31 give_up');
  const given = gaveUp(second.after, momentOn('2026-12-31'));
  assert.deepEqual(standingOf(given.after), [
    'paused',
    '1 2026-11-30 past_due',
    '2 2026-12-31 open',
    '3 2027-01-31 waiting',
  ]);
  const back = resumed(given.after, momentOn('2027-02-10'));
  assert.deepEqual(standingOf(back.after), [
    'past_due',
    '1 2026-11-30 past_due',
    '2 2026-12-31 open',
    '3 2027-02-28 waiting',
  ]);
  const paid = chargeChanged(
    fellDue(back.after, back.after.cycles[1]!).after,
    back.after.cycles[0]!,
    news('paid', 'charge 1'),
  )!;
  assert.deepEqual([eventsOf(paid), paid.after.subscription.status], [['paid'], 'past_due']);
});

test('the last payment completes it, in any order, and a trial keeps it from being over', () => {
  let now = beginOn('2026-11-30', { cycles: 2 });
  now = charge(now, now.cycles[0]!, AT).after;
  const second = charge(now, now.cycles[1]!, AT);
  assert.equal(second.after.cycles.length, 2);
  now = chargeChanged(second.after, second.after.cycles[1]!, news('paid', 'charge 2'))!.after;
  assert.equal(now.subscription.status, 'active');
  const last = chargeChanged(now, now.cycles[0]!, news('paid', 'charge 1'))!;
  assert.deepEqual(eventsOf(last), ['paid', 'completed']);
  assert.equal(nextMoment(last.after), undefined);
  const trial = beginOn('2026-11-30', { cycles: 1, status: 'trialing', trialEndDay: '2026-11-30' });
  const inTrial = charge(trial, trial.cycles[0]!, AT).after;
  const early = chargeChanged(inTrial, inTrial.cycles[0]!, news('paid', 'charge 1'))!;
  assert.deepEqual(
    [eventsOf(early), early.after.subscription.status, dueOf(early.after)],
    [['paid'], 'trialing', '2026-11-30 activate'],
  );
  assert.deepEqual(eventsOf(activated(early.after)), ['completed']);
});

test('a pause takes back what has not begun, and the same cycle goes on later', () => {
  const first = beginOn('2026-11-30');
  const open = charge(first, first.cycles[0]!, AT).after;
  const held = paused(open, momentOn('2026-11-29', 12));
  assert.deepEqual(held.withdrawn, ['charge 1']);
  assert.deepEqual(standingOf(held.after), ['paused', '1 2026-11-30 waiting', '2 2026-12-31 waiting']);
  assert.equal(nextMoment(held.after), undefined);
  const back = resumed(held.after, momentOn('2027-02-10'));
  assert.deepEqual(standingOf(back.after), ['active', '1 2027-02-28 waiting', '2 2027-03-31 waiting']);
  const onTheDay = paused(open, momentOn('2026-11-30', 12));
  assert.deepEqual([onTheDay.withdrawn, onTheDay.after.cycles[0]!.status], [[], 'open']);
});

test('it is canceled at the end of what is paid for, or now with or without what is owed', () => {
  const first = beginOn('2026-11-30');
  const open = charge(first, first.cycles[0]!, AT).after;
  const planned = cancelPlanned(open, momentOn('2026-11-28'), 'requested');
  assert.deepEqual([planned.withdrawn, planned.after.subscription.cancelOn], [['charge 1'], '2026-11-30']);
  assert.equal(dueOf(planned.after), '2026-11-30 end');
  const paid = chargeChanged(open, open.cycles[0]!, news('paid', 'charge 1'))!.after;
  assert.equal(cancelPlanned(paid, momentOn('2026-11-28'), 'requested').after.subscription.cancelOn, '2026-12-31');
  assert.equal(resumed(planned.after, AT).after.subscription.cancelOn, undefined);
  const owed = canceled(open, momentOn('2026-12-01'), 'requested');
  assert.deepEqual(
    [owed.withdrawn, standingOf(owed.after)],
    [[], ['canceled', '1 2026-11-30 open', '2 2026-12-31 canceled']],
  );
  const forgiven = canceled(open, momentOn('2026-12-01'), 'requested', true);
  assert.deepEqual([forgiven.withdrawn, forgiven.after.cycles[0]!.status], [['charge 1'], 'canceled']);
  const late = chargeChanged(forgiven.after, forgiven.after.cycles[0]!, news('paid', 'charge 1'))!;
  assert.deepEqual([eventsOf(late), late.after.subscription.status], [['paid'], 'canceled']);
});

test('a charge that fails is made anew, later and later; a payment of the first one withdraws the second', () => {
  const first = beginOn('2026-11-30');
  const failed = refused(first, first.cycles[0]!, 'no address', AT);
  assert.deepEqual(eventsOf(failed), ['charge_failed']);
  const again = refused(failed.after, failed.after.cycles[0]!, 'no address', AT);
  assert.deepEqual([eventsOf(again), again.after.cycles[0]!.attempts], [[], 2]);
  assert.equal(again.after.cycles[0]!.retryAt!.getTime() - AT.getTime(), 2 * 3_600_000);
  const open = charge(again.after, again.after.cycles[0]!, AT).after;
  assert.equal(open.cycles[0]!.reason, undefined);
  const lost = chargeChanged(open, open.cycles[0]!, { ...news('failed', 'charge 1'), reason: 'refused' })!.after;
  const anew = charge(lost, lost.cycles[0]!, AT, 'another').after;
  assert.equal(chargeChanged(anew, anew.cycles[0]!, news('canceled', 'charge 1')), undefined);
  assert.deepEqual(chargeChanged(anew, anew.cycles[0]!, news('paid', 'charge 1'))!.withdrawn, ['another']);
});

test('a cycle that cannot be charged falls due by its day, and is charged as soon as it can be', () => {
  const first = beginOn('2026-11-30', { unpaidAction: 'cancel', unpaidAfterDays: 10 });
  const failed = refused(first, first.cycles[0]!, 'no address', AT).after;
  assert.equal(dueOf(failed), '2026-11-25 charge');
  const retried = refused(failed, failed.cycles[0]!, 'no address', momentOn('2026-12-03', 12)).after;
  assert.equal(dueOf(retried), '2026-12-03 charge');
  const again = refused(retried, retried.cycles[0]!, 'no address', momentOn('2026-12-03', 22)).after;
  assert.equal(dueOf(again), '2026-12-04 fall_due');
  const late = fellDue(again, again.cycles[0]!);
  assert.deepEqual([eventsOf(late), standingOf(late.after)], [['past_due'], ['past_due', '1 2026-11-30 past_due']]);
  assert.equal(dueOf(late.after), '2026-12-04 charge');
  const still = refused(late.after, late.after.cycles[0]!, 'no address', momentOn('2026-12-10', 12));
  assert.deepEqual([eventsOf(still), dueOf(still.after)], [[], '2026-12-10 charge']);
  const last = refused(still.after, still.after.cycles[0]!, 'no address', momentOn('2026-12-10', 21));
  assert.equal(dueOf(last.after), '2026-12-11 give_up');
  assert.deepEqual(standingOf(gaveUp(last.after, momentOn('2026-12-11')).after), ['canceled', '1 2026-11-30 canceled']);
  const at = momentOn('2026-12-05');
  const open = charge(late.after, late.after.cycles[0]!, at);
  assert.deepEqual(eventsOf(open), ['charged', 'activated']);
  assert.deepEqual(standingOf(open.after), ['active', '1 2026-11-30 open', '2 2026-12-31 waiting']);
  assert.equal(open.after.cycles[0]!.dueDay, '2026-12-05');
  const back = resumed(paused(late.after, at).after, momentOn('2027-03-05')).after;
  const onward = charge(back, back.cycles[0]!, momentOn('2027-03-05')).after;
  assert.deepEqual(standingOf(onward), ['active', '1 2026-11-30 open', '2 2027-03-31 waiting']);
});

test('another day is that of the next cycle, and never before one that is charged', () => {
  const first = beginOn('2026-11-30');
  const open = charge(first, first.cycles[0]!, AT).after;
  const dayOf = (changes: Partial<Subscription>, at: string) =>
    termsChanged(open, { ...open.subscription, ...changes }, momentOn(at)).after.cycles[1]!.day;
  assert.equal(dayOf({ amountCents: 1n }, '2026-11-28'), '2026-12-31');
  assert.equal(dayOf({ day: 10 }, '2026-11-28'), '2026-12-10');
  assert.equal(dayOf({ day: 10 }, '2026-12-15'), '2027-01-10');
  assert.equal(dayOf({ day: 1, interval: 'weekly' }, '2026-11-28'), '2026-12-28');
});

test('fewer cycles end it where it is, and more go on', () => {
  const first = beginOn('2026-11-30', { cycles: 12 });
  const open = charge(first, first.cycles[0]!, AT).after;
  const paid = chargeChanged(open, open.cycles[0]!, news('paid', 'charge 1'))!.after;
  const withCycles = (cycles: number) => termsChanged(paid, { ...paid.subscription, cycles }, AT);
  assert.deepEqual(eventsOf(withCycles(1)), ['updated', 'completed']);
  assert.deepEqual(standingOf(withCycles(2).after), ['active', '1 2026-11-30 paid', '2 2026-12-31 waiting']);
  const owed = termsChanged(open, { ...open.subscription, cycles: 1 }, AT).after;
  assert.equal(dueOf(owed), '2026-12-04 fall_due');
  const more = termsChanged(owed, { ...owed.subscription, cycles: 2 }, AT).after;
  assert.deepEqual(standingOf(more), ['active', '1 2026-11-30 open', '2 2026-12-31 waiting']);
  const { cycles: _, ...endless } = beginOn('2026-11-30', { cycles: 1 }).subscription;
  const single = charge(beginOn('2026-11-30', { cycles: 1 }), first.cycles[0]!, AT).after;
  assert.equal(termsChanged(single, endless, AT).after.cycles.length, 2);
});

test('random histories keep what always holds', () => {
  const seen = new Set<string>();
  for (let index = 0; index < 1_000; index++) {
    const random = randomOf(2026_11_20, index);
    const cycles = random.chance(0.5) ? { cycles: 1 + random.below(4) } : {};
    const unpaidAction = random.pick(['keep', 'pause', 'cancel'] as const);
    const interval = random.pick(INTERVALS);
    const day = 1 + random.below(interval === 'weekly' || interval === 'biweekly' ? 7 : 31);
    const trial = random.chance(0.3) ? ({ status: 'trialing', trialEndDay: '2026-11-30' } as const) : {};
    const daysAhead = random.below(31);
    let now = beginOn('2026-11-30', { ...cycles, ...trial, interval, day, daysAhead, unpaidAction });
    let at = AT;
    let made = 0;
    const charges = new Map<string, number>();
    for (let round = 0; round < 40; round++) {
      const before = now;
      const { subscription } = now;
      const isOver = hasEnded(subscription);
      const due = nextMoment(now);
      const choice = random.below(10);
      let next: Step | undefined;
      if (due && choice < 6) {
        at = due.at > at ? due.at : at;
        if (due.kind === 'charge') {
          const isMade = random.chance(0.9);
          next = isMade ? charge(now, due.cycle, at, `charge ${++made}`) : refused(now, due.cycle, 'no reason', at);
          if (isMade) charges.set(`charge ${made}`, due.cycle.number);
        } else if (due.kind === 'fall_due') next = fellDue(now, due.cycle);
        else if (due.kind === 'give_up') next = gaveUp(now, at);
        else next = due.kind === 'activate' ? activated(now) : canceled(now, at, 'requested');
      } else if (choice < 8 && charges.size > 0) {
        const [chargeId, number] = random.pick([...charges]);
        const kind = random.pick(['paid', 'paid', 'refunded', 'expired', 'canceled', 'failed'] as const);
        next = chargeChanged(now, now.cycles.find(cycle => cycle.number === number)!, news(kind, chargeId, at));
      } else if (!isOver) {
        if (subscription.status === 'paused') next = resumed(now, at);
        else if (choice === 8) next = random.chance(0.5) ? paused(now, at) : cancelPlanned(now, at, 'requested');
        else next = random.chance(0.2) ? canceled(now, at, 'requested', random.chance(0.5)) : undefined;
      }
      if (!next) continue;
      now = next.after;
      for (const { event } of next.events) seen.add(event);
      seen.add(now.subscription.status);
      const what = `${index}.${round}: ${JSON.stringify([standingOf(before), eventsOf(next), standingOf(now)])}`;
      assert.deepEqual(
        now.cycles.map(({ number }) => number),
        now.cycles.map((_, place) => place + 1),
        what,
      );
      const days = now.cycles.map(cycle => cycle.day);
      assert.ok(
        days.every((one, place) => place === 0 || days[place - 1]! < one),
        what,
      );
      assert.ok(now.cycles.length <= (subscription.cycles ?? Number.POSITIVE_INFINITY), what);
      const owned = now.cycles.flatMap(({ chargeId }) => chargeId ?? []);
      assert.equal(new Set(owned).size, owned.length, what);
      for (const cycle of now.cycles) {
        assert.equal(
          ['open', 'past_due', 'paid', 'refunded'].includes(cycle.status),
          (cycle.chargeId !== undefined || cycle.attempts > 0) &&
            cycle.status !== 'canceled' &&
            cycle.status !== 'waiting',
          what,
        );
      }
      const { status } = now.subscription;
      if (isOver) assert.equal(status, subscription.status, what);
      if (hasEnded({ status })) assert.ok(!now.cycles.some(cycle => cycle.status === 'waiting'), what);
      else
        assert.ok(
          now.cycles.some(cycle => ['waiting', 'open', 'past_due'].includes(cycle.status)) || status === 'trialing',
          what,
        );
      if (status === 'active') assert.ok(!now.cycles.some(cycle => cycle.status === 'past_due'), what);
      if (status === 'past_due')
        assert.ok(
          now.cycles.some(cycle => cycle.status === 'past_due'),
          what,
        );
    }
  }
  assert.equal(
    seen.size,
    6 + 11,
    'every status was reached, and every event but that of the creation and of the terms',
  );
});
