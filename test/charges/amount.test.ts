import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AmountQuestion, amountOwed } from '../../src/charges/amount.ts';
import { isBankingDay, nextBankingDay } from '../../src/lib/banking-days.ts';
import { addDays, daysBetween } from '../../src/lib/civil-days.ts';

// BRL 159.90 with a fine of 2 % and 1 % a month, due on Carnival Saturday: Monday and Tuesday are no banking days either.
const CARNIVAL = {
  payableCents: 15_990n,
  finePercent: '2',
  interestPercent: '1',
  dueDay: '2026-02-14',
  expireDay: '2026-03-16',
} as const;

const centsOf = (question: AmountQuestion) =>
  amountOwed(question).lines.map(({ kind, amountCents }) => [kind, amountCents]);

test('paid early or on its due day a charge owes its amount', () => {
  for (const method of ['pix', 'boleto'] as const) {
    for (const on of ['2026-01-05', '2026-03-09', '2026-03-10']) {
      const owed = amountOwed({ ...CARNIVAL, method, dueDay: '2026-03-10', on });
      assert.deepEqual(owed, {
        on,
        method,
        dueDay: '2026-03-10',
        effectiveDueDay: '2026-03-10',
        lastPayableDay: '2026-03-16',
        payable: true,
        lateDays: 0,
        lines: [
          {
            kind: 'original',
            amountCents: 15_990n,
            rule: 'on_time',
            explanation: 'Up to and including the due day, 2026-03-10, only the original amount is owed.',
          },
        ],
        totalCents: 15_990n,
      });
    }
  }
});

test('due on Carnival Saturday both methods owe no fine or interest until Ash Wednesday', () => {
  for (const on of ['2026-02-14', '2026-02-15', '2026-02-17', '2026-02-18']) {
    const pix = amountOwed({ ...CARNIVAL, method: 'pix', on });
    const boleto = amountOwed({ ...CARNIVAL, method: 'boleto', on });
    assert.equal(pix.effectiveDueDay, '2026-02-18');
    assert.equal(pix.totalCents, 15_990n);
    assert.equal(boleto.totalCents, 15_990n);
    assert.equal(pix.lines[0]?.rule, 'pix_due_day_shift');
    assert.equal(boleto.lines[0]?.rule, 'lei_7089_1983');
    assert.match(boleto.lines[0].explanation, /Lei 7\.089\/1983/);
  }
});

test('a day later a pix counts from the shifted day', () => {
  // Fine: 2 % of 159.90 is 3.198. Interest: 159.90 / 100 / 30 is 0.0533 for one day.
  assert.deepEqual(amountOwed({ ...CARNIVAL, method: 'pix', on: '2026-02-19' }), {
    on: '2026-02-19',
    method: 'pix',
    dueDay: '2026-02-14',
    effectiveDueDay: '2026-02-18',
    // Thirty days of validity, counted from 18 February, end on Friday 20 March.
    lastPayableDay: '2026-03-20',
    payable: true,
    lateDays: 1,
    lines: [
      {
        kind: 'original',
        amountCents: 15_990n,
        rule: 'asked_amount',
        explanation: 'The original amount of the charge.',
      },
      {
        kind: 'fine',
        amountCents: 319n,
        rate: '2',
        rule: 'fine_once',
        explanation:
          '2 % of the amount, once, for paying after 2026-02-18, truncated to cents (Bacen Pix API 2.9.0, multa, modalidade 2).',
      },
      {
        kind: 'interest',
        amountCents: 5n,
        rate: '1',
        days: 1,
        rule: 'interest_from_effective_due_day',
        explanation:
          '1 % per month, one thirtieth of it per day, for 1 calendar day since the due day, 2026-02-18, truncated to cents (Bacen Pix API 2.9.0, juros, modalidade 3).',
      },
    ],
    totalCents: 16_314n,
  });
});

test('a day later a boleto counts from its original day', () => {
  // Five days since Saturday: 5 × 0.0533 is 0.2665.
  const owed = amountOwed({ ...CARNIVAL, method: 'boleto', on: '2026-02-19' });
  assert.equal(owed.lateDays, 5);
  assert.equal(owed.lastPayableDay, '2026-03-16');
  assert.deepEqual(owed.lines.slice(1), [
    {
      kind: 'fine',
      amountCents: 319n,
      rate: '2',
      rule: 'fine_once',
      explanation: '2 % of the amount, once, for paying after 2026-02-18, truncated to cents (Código Civil, art. 408).',
    },
    {
      kind: 'interest',
      amountCents: 26n,
      rate: '1',
      days: 5,
      rule: 'interest_from_original_due_day',
      explanation:
        '1 % per month, one thirtieth of it per day, for 5 calendar days since the original due day, 2026-02-14, truncated to cents (Lei 7.089/1983, art. 1; STJ, REsp 1.954.924).',
    },
  ]);
  assert.equal(owed.totalCents, 16_335n);
});

test('the case before the STJ is late by 23 days, not by 21', () => {
  // REsp 1.954.924: due on Saturday 5 May 2007, paid on 28 May. A pix of those days would be late by 21.
  const bill = { payableCents: 100_000n, interestPercent: '1', dueDay: '2007-05-05', expireDay: '2007-06-05' };
  assert.equal(amountOwed({ ...bill, method: 'boleto', on: '2007-05-28' }).lateDays, 23);
  assert.equal(amountOwed({ ...bill, method: 'boleto', on: '2007-05-07' }).lateDays, 0);
  assert.equal(amountOwed({ ...bill, method: 'pix', on: '2007-05-28' }).lateDays, 21);
});

test("the Central Bank's worked example comes to BRL 105.00", () => {
  // bacen/pix-api 2.9.0, componentesValor: BRL 100.00, two days late, a fine of 3 % and 1 % a day, which is 30 % a month.
  const owed = amountOwed({
    method: 'pix',
    payableCents: 10_000n,
    finePercent: '3.00',
    interestPercent: '30',
    dueDay: '2026-03-10',
    expireDay: '2026-04-10',
    on: '2026-03-12',
  });
  assert.deepEqual(
    owed.lines.map(({ amountCents }) => amountCents),
    [10_000n, 300n, 200n],
  );
  assert.equal(owed.totalCents, 10_500n);
});

test('interest of a third of a per mille is not rounded on the way', () => {
  // bacen/pix-api issue 607: BRL 30,000.00 at 1 % a month owes BRL 10.00 a day; a factor cut to 0.00033 would lose 10 cents.
  const question = { ...CARNIVAL, payableCents: 3_000_000n, dueDay: '2024-09-04', expireDay: '2024-10-04' };
  assert.deepEqual(centsOf({ ...question, method: 'pix', on: '2024-09-05' }), [
    ['original', 3_000_000n],
    ['fine', 60_000n],
    ['interest', 1_000n],
  ]);
});

// The examples A to G of `validadeAposVencimento` in bacen/pix-api 2.9.0.
const PUBLISHED = [
  ['2020-10-20', 4, '2020-10-26'],
  ['2020-12-25', 0, '2020-12-28'],
  ['2020-12-25', 1, '2020-12-29'],
  ['2020-12-25', 3, '2020-12-31'],
  ['2020-12-25', 4, '2021-01-04'],
  ['2021-08-27', 5, '2021-09-01'],
  ['2021-08-28', 5, '2021-09-06'],
] as const;

for (const [dueDay, validityDays, lastDay] of PUBLISHED) {
  test(`a pix due ${dueDay} and valid for ${validityDays} days may be paid until ${lastDay}`, () => {
    const question = { ...CARNIVAL, method: 'pix', dueDay, expireDay: addDays(dueDay, validityDays) } as const;
    assert.equal(amountOwed({ ...question, on: dueDay }).lastPayableDay, lastDay);
    assert.equal(amountOwed({ ...question, on: lastDay }).payable, true);
    const dayAfter = amountOwed({ ...question, on: addDays(lastDay, 1) });
    assert.equal(dayAfter.payable, false);
    assert.ok(dayAfter.lateDays > 0, 'the amount owed is still computed');
  });
}

test('a boleto due and expiring on a Saturday may be paid on Monday, as the law requires', () => {
  const question = { ...CARNIVAL, method: 'boleto', dueDay: '2026-03-07', expireDay: '2026-03-07' } as const;
  const monday = amountOwed({ ...question, on: '2026-03-09' });
  assert.equal(monday.payable, true);
  assert.equal(monday.totalCents, 15_990n);
  assert.equal(amountOwed({ ...question, on: '2026-03-10' }).payable, false);
});

test('a fine or interest of 0 % makes no line; one that truncates to 0 makes a line of zero', () => {
  const late = {
    method: 'pix',
    payableCents: 15_990n,
    dueDay: '2026-03-10',
    expireDay: '2026-04-10',
    on: '2026-03-11',
  } as const;
  assert.deepEqual(centsOf(late), [['original', 15_990n]]);
  assert.deepEqual(centsOf({ ...late, finePercent: '0', interestPercent: '0.000' }), [['original', 15_990n]]);
  assert.deepEqual(centsOf({ ...late, payableCents: 49n, finePercent: '2' }), [
    ['original', 49n],
    ['fine', 0n],
  ]);
});

test('all twenty decimals count', () => {
  // 10^20 cents: each unit in the twentieth decimal of a percent is worth a hundredth of a cent.
  const late = { method: 'pix', dueDay: '2026-03-10', expireDay: '2026-04-10', on: '2026-04-09' } as const;
  const payableCents = 10n ** 20n;
  assert.deepEqual(centsOf({ ...late, payableCents, finePercent: '0.00000000000000000100' }), [
    ['original', payableCents],
    ['fine', 1n],
  ]);
  assert.deepEqual(centsOf({ ...late, payableCents, finePercent: '0.00000000000000000099' }), [
    ['original', payableCents],
    ['fine', 0n],
  ]);
  // Thirty days late is one month.
  assert.deepEqual(centsOf({ ...late, payableCents, interestPercent: '33.33333333333333333333' })[1], [
    'interest',
    33_333_333_333_333_333_333n,
  ]);
});

test('huge percents are computed, not refused', () => {
  const late = { ...CARNIVAL, method: 'boleto', dueDay: '2026-03-10', on: '2026-03-13' } as const;
  assert.deepEqual(centsOf({ ...late, finePercent: '1000000', interestPercent: '123456789012345678901234567890' }), [
    ['original', 15_990n],
    ['fine', 159_900_000n],
    // 159.90 × 1234567890123456789012345678.90 × 3 / 30, in cents.
    ['interest', 1_974_074_056_307_407_405_630_740_740_561n],
  ]);
});

test('an operator who closes a day shifts the charges due on it', () => {
  const question = { ...CARNIVAL, method: 'pix', dueDay: '2026-03-10', on: '2026-03-11' } as const;
  assert.equal(amountOwed(question).lateDays, 1);
  assert.equal(amountOwed({ ...question, overrides: new Map([['2026-03-10', false]]) }).lateDays, 0);
});

test('the first and the last day of the calendar work', () => {
  const last = { ...CARNIVAL, method: 'pix', dueDay: '9999-12-25', expireDay: '9999-12-31', on: '9999-12-31' } as const;
  assert.equal(amountOwed(last).lastPayableDay, '9999-12-31');
  const first = {
    ...CARNIVAL,
    method: 'boleto',
    dueDay: '0001-01-01',
    expireDay: '0001-01-31',
    on: '2026-03-10',
  } as const;
  assert.equal(amountOwed(first).lateDays, daysBetween('0001-01-01', '2026-03-10'));
});

test('a charge that would expire before it is due is an error of the caller', () => {
  assert.throws(() => amountOwed({ ...CARNIVAL, method: 'pix', expireDay: '2026-02-13', on: '2026-02-13' }));
  assert.throws(() => amountOwed({ ...CARNIVAL, method: 'pix', payableCents: -1n, on: '2026-02-13' }));
});

/** A percent as a fraction, and as text. */
const percent = fc.tuple(fc.bigInt(0n, 10n ** 24n), fc.nat(22)).map(([units, decimals]) => {
  const digits = String(units).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return {
    text: decimals === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`,
    over: units,
    under: 10n ** BigInt(decimals),
  };
});
const day = fc.integer({ min: 0, max: 4_000 }).map(days => addDays('2022-01-01', days));
const situation = fc.record({
  method: fc.constantFrom('pix' as const, 'boleto' as const),
  payableCents: fc.bigInt(1n, 10n ** 14n),
  fine: percent,
  interest: percent,
  dueDay: day,
  validityDays: fc.nat(90),
  // Most days near the due day, where the rules change.
  after: fc.oneof(fc.integer({ min: -3, max: 8 }), fc.integer({ min: -60, max: 2_000 })),
});
type Situation = typeof situation extends fc.Arbitrary<infer S> ? S : never;

const asQuestion = ({
  method,
  payableCents,
  fine,
  interest,
  dueDay,
  validityDays,
  after,
}: Situation): AmountQuestion => ({
  method,
  payableCents,
  finePercent: fine.text,
  interestPercent: interest.text,
  dueDay,
  expireDay: addDays(dueDay, validityDays),
  on: addDays(dueDay, after),
});

test('each part is the exact value truncated to cents, and the total is their sum', () => {
  fc.assert(
    fc.property(situation, some => {
      const owed = amountOwed(asQuestion(some));
      // The days late, counted one by one instead of subtracted.
      let graceDay = some.dueDay;
      while (!isBankingDay(graceDay)) graceDay = addDays(graceDay, 1);
      let days = 0n;
      if (owed.on > graceDay) {
        for (let step = some.method === 'pix' ? graceDay : some.dueDay; step < owed.on; step = addDays(step, 1)) days++;
      }
      assert.equal(BigInt(owed.lateDays), days);

      const part = (kind: string) => owed.lines.find(line => line.kind === kind)?.amountCents ?? 0n;
      /** Checks by multiplication alone that `cents` is over / under, truncated. */
      const isTruncated = (cents: bigint, over: bigint, under: bigint) =>
        cents * under <= over && over < (cents + 1n) * under;
      const isLate = days > 0n ? 1n : 0n;
      const { payableCents, fine, interest } = some;
      assert.equal(part('original'), payableCents);
      assert.ok(isTruncated(part('fine'), payableCents * fine.over * isLate, 100n * fine.under));
      assert.ok(isTruncated(part('interest'), payableCents * interest.over * days, 3_000n * interest.under));
      assert.equal(owed.totalCents, part('original') + part('fine') + part('interest'));
      assert.equal(owed.lines.length, 1 + (isLate && fine.over > 0n ? 1 : 0) + (isLate && interest.over > 0n ? 1 : 0));
    }),
    { numRuns: 1_000 },
  );
});

test('waiting a day never makes it cheaper', () => {
  fc.assert(
    fc.property(situation, some => {
      const question = asQuestion(some);
      const today = amountOwed(question);
      const tomorrow = amountOwed({ ...question, on: addDays(question.on, 1) });
      assert.ok(tomorrow.totalCents >= today.totalCents);
      assert.ok(tomorrow.lateDays >= today.lateDays);
      assert.ok(today.payable || !tomorrow.payable);
    }),
    { numRuns: 1_000 },
  );
});

test('on the first banking day on or after the due day both methods owe the amount, and may be paid', () => {
  fc.assert(
    fc.property(situation, some => {
      const owed = amountOwed({ ...asQuestion(some), on: nextBankingDay(some.dueDay) });
      assert.equal(owed.totalCents, some.payableCents);
      assert.equal(owed.lines.length, 1);
      assert.equal(owed.payable, true);
    }),
  );
});

test('due on a banking day both methods owe the same; on another a boleto paid later never owes less', () => {
  fc.assert(
    fc.property(situation, some => {
      const pix = amountOwed({ ...asQuestion(some), method: 'pix' });
      const boleto = amountOwed({ ...asQuestion(some), method: 'boleto' });
      if (isBankingDay(some.dueDay)) assert.equal(boleto.totalCents, pix.totalCents);
      else assert.ok(boleto.totalCents >= pix.totalCents);
    }),
  );
});

test('the last payable day is a banking day, and no earlier than the effective due day', () => {
  fc.assert(
    fc.property(situation, some => {
      const owed = amountOwed(asQuestion(some));
      assert.ok(isBankingDay(owed.lastPayableDay));
      assert.ok(owed.lastPayableDay >= owed.effectiveDueDay);
      assert.equal(owed.payable, owed.on <= owed.lastPayableDay);
    }),
  );
});
