// The rules of mandates and collections without a service: tables of states, days of the window, and retries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lastRetryDay } from '../../packages/psp/src/automatic/calendar.ts';
import { COBR_TRANSITIONS, REC_TRANSITIONS } from '../../packages/psp/src/automatic/states.ts';
import {
  COLLECTION_STATES,
  COLLECTION_TRANSITIONS,
  type Collection,
  cancelableUntil,
  isOver,
  lastDayToSend,
  nextLookAtCollection,
  nextRetryDay,
  seenCollection,
  sendableFrom,
} from '../../src/billing/mandates/collection.ts';
import {
  hasEnded,
  MANDATE_STATUSES,
  MANDATE_TRANSITIONS,
  type Mandate,
  type MandateStatus,
  nextLookAt,
  seen,
} from '../../src/billing/mandates/mandate.ts';
import { canReach } from '../../src/billing/mandates/transitions.ts';
import { addDays, daysBetween } from '../../src/lib/civil-days.ts';
import type { Attempt, Recurrence, RecurrenceStatus } from '../../src/rails/automatic.ts';

const AT = new Date('2026-11-16T12:00:00Z');
const WINDOW = { earliestDays: 10, latestDays: 2, cancelUntilHour: 22 };

const mandate = (status: MandateStatus, more: Partial<Mandate> = {}): Mandate => ({
  ...{ id: 'm', accountId: 'a', customerId: 'c', rail: 'efi:main', journey: 2, contract: '1', period: 'MONTHLY' },
  ...{ firstDay: '2026-12-10', allowsRetries: true, status, eventCount: 1, createdAt: AT, updatedAt: AT },
  ...more,
});

const collection = (status: Collection['status'], more: Partial<Collection> = {}): Collection => ({
  ...{ id: 'k', accountId: 'a', mandateId: 'm', chargeId: 'c', amountCents: 3_500n, dueDay: '2026-12-10', status },
  ...{ attempts: [], eventCount: 1, createdAt: AT, updatedAt: AT },
  ...more,
});

const attempt = (day: string, status: Attempt['status'], kind: Attempt['kind'] = 'RETRY'): Attempt => ({
  day,
  kind,
  ...(status && { status }),
  pspStatus: status ?? 'ESTRANHA',
});

const RECURRENCE = {
  CRIADA: 'CREATED',
  APROVADA: 'APPROVED',
  REJEITADA: 'REJECTED',
  EXPIRADA: 'EXPIRED',
  CANCELADA: 'CANCELED',
} as const;
const COLLECTION = { ...RECURRENCE, ATIVA: 'ACTIVE', CONCLUIDA: 'COMPLETED' } as const;

test('from the state in which the PSP has them, both tables are those of the simulated PSP, with what is derived', () => {
  const pairs = [
    [REC_TRANSITIONS, MANDATE_TRANSITIONS, RECURRENCE],
    [COBR_TRANSITIONS, COLLECTION_TRANSITIONS, COLLECTION],
  ] as const;
  for (const [theirs, ours, names] of pairs) {
    const named = names as Readonly<Record<string, string>>;
    const table = ours as Readonly<Record<string, readonly { to: string; derived?: true }[]>>;
    for (const [from, nexts] of Object.entries(theirs)) {
      const wanted = nexts.map((next: { to: string; derived?: true }) => [named[next.to], next.derived]);
      const own = table[named[from]!]!.map(next => [next.to, next.derived]);
      assert.deepEqual(own.sort(), wanted.sort(), from);
    }
  }
  assert.deepEqual(Object.keys(MANDATE_TRANSITIONS).sort(), [...MANDATE_STATUSES].sort());
  assert.deepEqual(Object.keys(COLLECTION_TRANSITIONS).sort(), [...COLLECTION_STATES].sort());
});

test('whatever order answers come in, a mandate never goes back, and an end is final', () => {
  const statuses: RecurrenceStatus[] = ['CREATED', 'APPROVED', 'REJECTED', 'EXPIRED', 'CANCELED'];
  const answers = fc.array(fc.constantFrom(undefined, ...statuses), { maxLength: 8 });
  fc.assert(
    fc.property(answers, answered => {
      let now = mandate('CREATING');
      for (const status of answered) {
        const shown: Recurrence = { id: 'r', pspStatus: status ?? 'NOVA', requests: [], ...(status && { status }) };
        const next = seen(now, shown, AT);
        const isForward = canReach<MandateStatus>(MANDATE_TRANSITIONS, now.status, next.status);
        assert.ok(next.status === now.status || isForward);
        if (hasEnded(now)) assert.equal(next.status, now.status);
        now = next;
      }
    }),
  );
});

test('a look may miss states; an older answer and a repeated one change nothing; an unknown state is kept', () => {
  const shown = (status: RecurrenceStatus | undefined, pspStatus: string): Recurrence => ({
    ...{ id: 'r', pspStatus, requests: [] },
    ...(status && { status }),
  });
  const approved = seen(mandate('CREATING'), { ...shown('APPROVED', 'APROVADA'), journey: 2 }, AT);
  assert.deepEqual([approved.status, approved.approvedBy, approved.recurrenceId], ['APPROVED', 2, 'r']);
  assert.equal(seen(approved, shown('CREATED', 'CRIADA'), AT), approved);
  assert.equal(seen(approved, { ...shown('APPROVED', 'APROVADA'), journey: 2 }, AT), approved);
  const odd = seen(approved, shown(undefined, 'SUSPENSA'), AT);
  assert.deepEqual([odd.status, odd.pspStatus], ['APPROVED', 'SUSPENSA']);
});

test('the window of a collection counts days in São Paulo', () => {
  assert.equal(sendableFrom('2026-12-10', WINDOW).toISOString(), '2026-11-30T03:00:00.000Z');
  assert.equal(lastDayToSend('2026-12-10', WINDOW), '2026-12-08');
  const until = (attempts: Attempt[], cancelUntilHour = 22) =>
    cancelableUntil({ dueDay: '2026-12-10', attempts }, { ...WINDOW, cancelUntilHour })?.toISOString();
  assert.equal(until([]), '2026-12-10T01:00:00.000Z');
  assert.equal(until([], 24), '2026-12-10T03:00:00.000Z');
  const expired = attempt('2026-12-10', 'EXPIRED', 'FIRST');
  assert.equal(until([attempt('2026-12-14', 'SCHEDULED', 'FIRST')]), '2026-12-14T01:00:00.000Z', 'moved by holidays');
  assert.equal(until([expired, attempt('2026-12-13', 'SCHEDULED')]), '2026-12-13T01:00:00.000Z');
  assert.equal(until([expired]), undefined, 'nothing is open');
});

test('three retries on different days within a week of the due day, none while an attempt is open', () => {
  const monthly = { firstDay: '2026-12-10', period: 'MONTHLY' } as const;
  const first = attempt('2026-12-10', 'EXPIRED', 'FIRST');
  const next = (attempts: Attempt[], now: string, status: Collection['status'] = 'ACTIVE') =>
    nextRetryDay(collection(status, { attempts }), monthly, new Date(now));
  const evening = '2026-12-11T00:30:00Z';
  assert.equal(next([first], evening), '2026-12-11');
  assert.equal(next([first, attempt('2026-12-11', 'SCHEDULED')], evening), undefined);
  assert.equal(next([first, attempt('2026-12-11', undefined)], evening), undefined, 'its state is not known');
  const second = attempt('2026-12-11', 'EXPIRED');
  assert.equal(next([first, second], '2026-12-12T00:30:00Z'), '2026-12-13');
  assert.equal(next([first, second], '2026-12-14T00:30:00Z'), '2026-12-14');
  assert.equal(next([first, second], '2026-12-14T12:00:00Z'), '2026-12-15', 'a day was lost, and both still fit');
  assert.equal(
    next([first, second, attempt('2026-12-13', 'EXPIRED'), attempt('2026-12-16', 'EXPIRED')], evening),
    undefined,
  );
  assert.equal(next([first], '2026-12-17T12:00:00Z'), undefined, 'too late');
  assert.equal(next([first], evening, 'EXPIRED'), undefined);
  assert.equal(next([], evening), undefined);
});

/** The days of all retries when each attempt brings nothing. */
function retriesAfter(day: string, mandate: Pick<Mandate, 'firstDay' | 'period'>, dueDay = '2026-12-10'): string[] {
  const attempts = [attempt(day, 'EXPIRED', 'FIRST')];
  for (;;) {
    const now = new Date(`${attempts.at(-1)!.day}T21:30:00-03:00`);
    const next = nextRetryDay(collection('ACTIVE', { attempts, dueDay }), mandate, now);
    if (next === undefined) return attempts.slice(1).map(one => one.day!.slice(-2));
    attempts.push(attempt(next, 'EXPIRED'));
  }
}

test('the days leave room for three retries, also after holidays and before the next cycle', () => {
  const monthly = { firstDay: '2026-12-10', period: 'MONTHLY' } as const;
  assert.deepEqual(retriesAfter('2026-12-10', monthly), ['11', '13', '16']);
  assert.deepEqual(retriesAfter('2026-12-11', monthly), ['12', '14', '16'], 'moved by one day');
  assert.deepEqual(retriesAfter('2026-12-12', monthly), ['13', '14', '16']);
  assert.deepEqual(retriesAfter('2026-12-13', monthly), ['14', '15', '16']);
  assert.deepEqual(retriesAfter('2026-12-14', monthly), ['15', '16', '17'], 'on the seventh day');
  assert.deepEqual(retriesAfter('2026-12-15', monthly), ['16', '17'], 'the week has no third day');
  const weekly = { ...monthly, period: 'WEEKLY' } as const;
  assert.deepEqual(retriesAfter('2026-12-10', weekly), ['11', '13', '16']);
  assert.deepEqual(retriesAfter('2026-12-14', weekly), ['15', '16'], 'before the next cycle');
  const fromNovember = (firstDay: string) => retriesAfter('2026-12-10', { ...monthly, firstDay });
  assert.deepEqual(fromNovember('2026-11-14'), ['11', '12', '13']);
  assert.deepEqual(fromNovember('2026-11-12'), ['11']);
  assert.deepEqual(fromNovember('2026-11-11'), []);
});

test('retries fit whenever the days do, and the simulated PSP takes each of them', () => {
  const periods = { MONTHLY: 'MENSAL', WEEKLY: 'SEMANAL', QUARTERLY: 'TRIMESTRAL', YEARLY: 'ANUAL' } as const;
  const period = fc.constantFrom(...(Object.keys(periods) as (keyof typeof periods)[]));
  const dueIn = fc.integer({ min: 0, max: 800 });
  fc.assert(
    fc.property(period, dueIn, fc.integer({ min: 0, max: 5 }), (every, ahead, moved) => {
      const firstDay = '2026-01-31';
      const dueDay = addDays(firstDay, ahead);
      const last = lastRetryDay({ dataInicial: firstDay, periodicidade: periods[every] }, dueDay);
      const days = retriesAfter(addDays(dueDay, moved), { firstDay, period: every }, dueDay);
      const room = Math.max(0, daysBetween(addDays(dueDay, moved), last));
      assert.equal(days.length, Math.min(3, room), `${dueDay} ${every} ${moved}`);
    }),
  );
});

test('whatever has not ended is looked at again, later', () => {
  for (const status of MANDATE_STATUSES) {
    const look = nextLookAt(mandate(status), AT);
    assert.equal(look === undefined, hasEnded({ status }), status);
    assert.ok(look === undefined || look > AT);
  }
  fc.assert(
    fc.property(fc.constantFrom(...COLLECTION_STATES), fc.integer({ min: -12, max: 12 }), (status, days) => {
      const at = new Date(`${addDays('2026-12-10', days)}T12:00:00Z`);
      const look = nextLookAtCollection(collection(status), WINDOW, at);
      assert.equal(look === undefined, isOver({ status }));
      assert.ok(look === undefined || look > at);
      const isLong = look !== undefined && look.getTime() - at.getTime() > 86_400_000;
      assert.ok(!isLong || status === 'WAITING');
    }),
  );
});

test('a collection takes what the PSP shows of it, and an older answer changes nothing', () => {
  const shown = { reference: 'k', status: 'ACTIVE', pspStatus: 'ATIVA', paymentReferences: [] } as const;
  const scheduled = { ...shown, attempts: [attempt('2026-12-10', 'SCHEDULED', 'FIRST')] };
  const after = seenCollection(collection('WAITING'), scheduled, AT);
  assert.deepEqual([after.status, after.attempts.length], ['ACTIVE', 1]);
  assert.equal(seenCollection(after, scheduled, AT), after);
  assert.equal(seenCollection(after, { ...shown, attempts: [] }, AT), after);
  const paid = seenCollection(after, { ...scheduled, status: 'COMPLETED', pspStatus: 'CONCLUIDA' }, AT);
  assert.equal(paid.status, 'COMPLETED');
  assert.equal(seenCollection(paid, scheduled, AT), paid);
});

test('an answer about the end counts although it leaves out earlier attempts, which stay known', () => {
  const first = attempt('2026-12-10', 'EXPIRED', 'FIRST');
  const open = collection('ACTIVE', { pspStatus: 'ATIVA', attempts: [first, attempt('2026-12-11', 'SCHEDULED')] });
  const shown = { reference: 'k', paymentReferences: [], attempts: [attempt('2026-12-11', 'PAID')] } as const;
  const paid = seenCollection(open, { ...shown, status: 'COMPLETED', pspStatus: 'CONCLUIDA' }, AT);
  assert.equal(paid.status, 'COMPLETED');
  assert.deepEqual(paid.attempts, [first, ...shown.attempts]);
  assert.equal(seenCollection(open, { ...shown, status: 'ACTIVE', pspStatus: 'ATIVA' }, AT), open);
  const bare = seenCollection(open, { ...shown, attempts: [], status: 'CANCELED', pspStatus: 'CANCELADA' }, AT);
  assert.deepEqual([bare.status, bare.attempts], ['CANCELED', open.attempts]);
});
