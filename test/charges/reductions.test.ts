// What discounts and an abatement take off, by the Manual de Padrões para Iniciação do Pix (annex III, section 4), by questions of PSPs to
// the Central Bank (github.com/bacen/pix-api), and against a calculator that works with fractions and walks the days.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Holidays from 'date-holidays';
import fc from 'fast-check';
import { type AmountQuestion, amountOwed } from '../../src/charges/amount.ts';
import { addDays } from '../../src/lib/civil-days.ts';
import type { Discount, Reduction } from '../../src/rails/reductions.ts';

/** Due on Thursday, 10 December 2020, as in the examples of the manual. */
const BILL = {
  method: 'pix',
  payableCents: 100_000n,
  dueDay: '2020-12-10',
  expireDay: '2021-01-10',
  createdDay: '2020-01-01',
} as const;

const totalOf = (question: Partial<AmountQuestion> & { on: string }) => amountOwed({ ...BILL, ...question }).totalCents;
const linesOf = (question: Partial<AmountQuestion> & { on: string }) =>
  amountOwed({ ...BILL, ...question }).lines.map(({ kind, amountCents, rule }) => [kind, amountCents, rule]);

test('an amount until a day is taken off up to the end of that day', () => {
  const discounts = [{ until: '2020-12-10', amountCents: 30_000n }] as const;
  assert.equal(totalOf({ discounts, on: '2020-12-10' }), 70_000n);
  assert.equal(totalOf({ discounts, on: '2020-12-11' }), 100_000n, 'it lapses after its day');
  const earlier = [{ until: '2020-12-09', amountCents: 30_000n }] as const;
  assert.equal(totalOf({ discounts: earlier, on: '2020-12-09' }), 70_000n);
  assert.equal(totalOf({ discounts: earlier, on: '2020-12-10' }), 100_000n, 'on time, and too late for the discount');
});

test('an amount for each day before the due day', () => {
  const discounts = [{ perDay: 'calendar', amountCents: 10_000n }] as const;
  assert.equal(totalOf({ discounts, on: '2020-12-07' }), 70_000n);
  assert.equal(totalOf({ discounts, on: '2020-12-10' }), 100_000n, 'nothing was early');
  const banking = [{ perDay: 'banking', amountCents: 10_000n }] as const;
  assert.equal(totalOf({ discounts: banking, on: '2020-12-04' }), 60_000n, 'Friday to Thursday');
  assert.equal(totalOf({ discounts: banking, on: '2020-12-05' }), 60_000n, 'Saturday to Thursday');
});

test('a day that is not a banking day moves to the next one, and the earliest discount that is left counts', () => {
  // bacen/pix-api, issue 390: 2 April 2021 was Good Friday.
  const easter = { dueDay: '2021-04-10', expireDay: '2021-05-10' };
  const two = [
    { until: '2021-04-02', amountCents: 300n },
    { until: '2021-04-05', amountCents: 200n },
  ] as const;
  for (const on of ['2021-04-01', '2021-04-02', '2021-04-03', '2021-04-05']) {
    assert.equal(totalOf({ ...easter, discounts: two, on }), 99_700n, on);
  }
  assert.equal(totalOf({ ...easter, discounts: two, on: '2021-04-06' }), 100_000n);
  // Issue 412: Saturday, Sunday and Monday.
  const three = [
    { until: '2021-06-19', amountCents: 300n },
    { until: '2021-06-20', amountCents: 200n },
    { until: '2021-06-21', amountCents: 100n },
  ] as const;
  const june = { dueDay: '2021-06-30', expireDay: '2021-07-30', discounts: three };
  assert.equal(totalOf({ ...june, on: '2021-06-21' }), 99_700n);
  assert.equal(totalOf({ ...june, method: 'boleto', on: '2021-06-21' }), 99_700n);
  assert.equal(totalOf({ ...june, on: '2021-06-22' }), 100_000n);
});

test('a due day that moves moves the days that are counted to it, for a pix', () => {
  // Saturday, 12 December 2020.
  const saturday = { dueDay: '2020-12-12', on: '2020-12-11' };
  const perDay = [{ perDay: 'calendar', amountCents: 100n }] as const;
  assert.equal(totalOf({ ...saturday, discounts: perDay }), 99_700n, 'from Friday to Monday');
  assert.equal(totalOf({ ...saturday, method: 'boleto', discounts: perDay }), 99_900n, 'from Friday to Saturday');
  const until = [{ until: '2020-12-12', percent: '10' }] as const;
  for (const method of ['pix', 'boleto'] as const) {
    assert.equal(totalOf({ ...saturday, method, discounts: until, on: '2020-12-14' }), 90_000n);
    assert.equal(totalOf({ ...saturday, method, discounts: until, on: '2020-12-15' }), 100_000n);
  }
});

test('a percent is truncated to cents, not rounded', () => {
  // bacen/pix-api, issue 404: 0.05 % of BRL 10.00 is half a cent.
  const half = { payableCents: 1_000n, abatement: { percent: '0.05' }, on: '2020-12-01' } as const;
  assert.deepEqual(linesOf(half), [
    ['original', 1_000n, 'asked_amount'],
    ['abatement', 0n, 'abatement'],
  ]);
  assert.equal(totalOf({ ...half, payableCents: 19_999n, abatement: { percent: '0.01' } }), 19_998n);
});

test('discount, fine and interest in percent are of what the abatement leaves', () => {
  const terms = {
    abatement: { amountCents: 20_000n },
    discounts: [{ until: '2020-12-10', percent: '5' }],
    finePercent: '2',
    interestPercent: '3',
  } as const;
  assert.deepEqual(linesOf({ ...terms, on: '2020-12-10' }), [
    ['original', 100_000n, 'asked_amount'],
    ['abatement', -20_000n, 'abatement'],
    ['discount', -4_000n, 'discount_until_day'],
  ]);
  assert.deepEqual(linesOf({ ...terms, on: '2020-12-15' }), [
    ['original', 100_000n, 'asked_amount'],
    ['abatement', -20_000n, 'abatement'],
    ['fine', 1_600n, 'fine_once'],
    ['interest', 400n, 'interest_from_effective_due_day'],
  ]);
  assert.equal(totalOf({ ...terms, on: '2020-12-15' }), 82_000n);
});

test('each line says what it is', () => {
  const question = {
    abatement: { percent: '12.50' },
    discounts: [{ until: '2020-12-05', percent: '5' }],
    on: '2020-12-07',
  } as const;
  const explained = (method: 'pix' | 'boleto') => amountOwed({ ...BILL, method, ...question }).lines.slice(1);
  assert.deepEqual(explained('pix'), [
    {
      kind: 'abatement',
      amountCents: -12_500n,
      rate: '12.5',
      rule: 'abatement',
      explanation:
        '12.5 % of the original amount, truncated to cents, is taken off on whatever day it is paid (Bacen Pix API 2.9.0, abatimento).',
    },
    {
      kind: 'discount',
      amountCents: -4_375n,
      rate: '5',
      until: '2020-12-07',
      rule: 'discount_until_day',
      explanation:
        '2020-12-05 is not a banking day: 5 % of what the abatement leaves, for paying up to and including 2020-12-07, truncated to cents (Bacen Pix API 2.9.0, desconto).',
    },
  ]);
  assert.match(explained('boleto')[1]!.explanation, /Código Civil, art\. 132/);
  const perDay = amountOwed({ ...BILL, discounts: [{ perDay: 'banking', amountCents: 1n }], on: '2020-12-09' });
  assert.deepEqual(perDay.lines[1], {
    kind: 'discount',
    amountCents: -1n,
    days: 1,
    rule: 'discount_per_banking_day',
    explanation: 'For each of 1 banking day before the due day (Bacen Pix API 2.9.0, desconto).',
  });
});

test('no more days are counted than from the creation of the charge', () => {
  const discounts = [{ perDay: 'calendar', amountCents: 10_000n }] as const;
  assert.equal(totalOf({ discounts, createdDay: '2020-12-05', on: '2020-11-01' }), 50_000n);
});

/** Weekends, and the holidays of a calendar that others keep. */
const calendar = new Holidays('BR', { types: ['public', 'bank'], timezone: 'America/Sao_Paulo' });
const closed = new Set(
  [2024, 2025, 2026, 2027, 2028].flatMap(year => calendar.getHolidays(year).map(({ date }) => date.slice(0, 10))),
);
const isOpen = (day: string) => !closed.has(day) && ![0, 6].includes(new Date(`${day}T12:00:00Z`).getUTCDay());
function opening(day: string): string {
  let open = day;
  while (!isOpen(open)) open = addDays(open, 1);
  return open;
}

const hundredths = fc.bigInt(1n, 9_999n);
const percentText = (units: bigint) => `${units / 100n}.${String(units % 100n).padStart(2, '0')}`;
const reduction = fc.oneof(
  hundredths.map(units => ({ percent: percentText(units) })),
  fc.bigInt(1n, 999n).map(amountCents => ({ amountCents })),
);
const situation = fc.record({
  method: fc.constantFrom('pix' as const, 'boleto' as const),
  payableCents: fc.bigInt(1_000_000n, 10n ** 12n),
  dueDay: fc.integer({ min: 0, max: 1_000 }).map(days => addDays('2025-01-01', days)),
  abatement: fc.option(reduction, { nil: undefined }),
  kind: fc.constantFrom('until' as const, 'calendar' as const, 'banking' as const),
  reductions: fc.array(reduction, { minLength: 1, maxLength: 3 }),
  gaps: fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
  fine: hundredths,
  interest: hundredths,
  after: fc.integer({ min: -25, max: 40 }),
});
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

function discountsOf({ kind, reductions, gaps, dueDay }: Situation): Discount[] {
  if (kind !== 'until') return [{ perDay: kind, ...reductions[0]! }];
  // The gaps count back from the due day.
  const days = reductions.map((_, index) => {
    return addDays(dueDay, -gaps.slice(0, reductions.length - index).reduce((sum, gap) => sum + gap, 0));
  });
  return reductions.map((one, index) => ({ until: days[index]!, ...one }));
}

/** Hundredths of a cent and below as one integer: `units` are of 10^-4 cents. */
const FINE_UNITS = 10_000n;
const unitsOf = (one: Reduction, base: bigint, times: bigint) =>
  'amountCents' in one ? one.amountCents * times * FINE_UNITS : base * BigInt(one.percent.replace('.', '')) * times;
const cutToCents = (units: bigint) => units / FINE_UNITS;

/** What is owed, worked out another way: each day walked, each part in units far below a cent. */
function expected(some: Situation): bigint {
  const { method, payableCents, abatement, dueDay, fine, interest, after } = some;
  const on = addDays(dueDay, after);
  const base = payableCents - (abatement ? cutToCents(unitsOf(abatement, payableCents, 1n)) : 0n);
  const moved = opening(dueDay);
  if (on > moved) {
    let days = 0n;
    for (let day = method === 'pix' ? moved : dueDay; day < on; day = addDays(day, 1)) days++;
    return base + cutToCents(base * fine) + (base * interest * days) / (FINE_UNITS * 30n);
  }
  for (const discount of discountsOf(some)) {
    if ('until' in discount) {
      if (on <= opening(discount.until)) return base - cutToCents(unitsOf(discount, base, 1n));
      continue;
    }
    let days = 0n;
    for (let day = on; day < (method === 'pix' ? moved : dueDay); day = addDays(day, 1)) {
      if (discount.perDay === 'calendar' || isOpen(addDays(day, 1))) days++;
    }
    return base - cutToCents(unitsOf(discount, base, days));
  }
  return base;
}

test('any terms on any day come to what another calculator says', () => {
  fc.assert(
    fc.property(situation, some => {
      const { method, payableCents, abatement, dueDay, fine, interest, after } = some;
      const owed = amountOwed({
        method,
        payableCents,
        ...(abatement && { abatement }),
        discounts: discountsOf(some),
        finePercent: percentText(fine),
        interestPercent: percentText(interest),
        dueDay,
        expireDay: addDays(dueDay, 30),
        createdDay: addDays(dueDay, -30),
        on: addDays(dueDay, after),
      });
      assert.equal(owed.totalCents, expected(some));
      const parts = owed.lines.reduce((sum, line) => sum + line.amountCents, 0n);
      assert.equal(owed.totalCents, parts);
    }),
    { numRuns: 3_000 },
  );
});
