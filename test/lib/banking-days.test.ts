import assert from 'node:assert/strict';
import { test } from 'node:test';
import Holidays from 'date-holidays';
import fc from 'fast-check';
import { addBankingDays, bankingDaysBetween, isBankingDay, nextBankingDay } from '../../src/lib/banking-days.ts';
import { addDays, civilDay, daysBetween } from '../../src/lib/civil-days.ts';

/** Every holiday on which banks are closed, by an independent calendar; without a state only national ones. */
const calendar = new Holidays('BR', { types: ['public', 'bank'], timezone: 'America/Sao_Paulo' });

for (const decade of [1990, 2000, 2010, 2020, 2030, 2040, 2050, 2060, 2070, 2080, 2090]) {
  test(`every day from ${decade} to ${decade + 9} is a banking day or not, as in the calendar`, () => {
    for (let year = decade; year < decade + 10; year++) {
      const closed = new Set(calendar.getHolidays(year).map(({ date }) => date.slice(0, 'YYYY-MM-DD'.length)));
      assert.ok(closed.size >= 12, 'the calendar knows the year');
      for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = addDays(day, 1)) {
        const isWeekend = ['Sat', 'Sun'].includes(new Date(`${day}T12:00:00Z`).toUTCString().slice(0, 3));
        assert.equal(isBankingDay(day), !isWeekend && !closed.has(day), day);
      }
    }
  });
}

test('Good Friday is two days before the published Easter days', () => {
  const easterDays = ['1818-03-22', '1998-04-12', '2008-03-23', '2011-04-24', '2025-04-20', '2038-04-25', '2285-03-22'];
  for (const easter of easterDays) assert.ok(!isBankingDay(addDays(easter, -2)), easter);
});

test('24 and 31 December and Ash Wednesday are banking days', () => {
  for (const day of ['2025-12-24', '2025-12-31', '2025-03-05', '2026-02-18']) assert.ok(isBankingDay(day), day);
});

test('Carnival Monday and Tuesday, Good Friday, Corpus Christi and 20 November are not', () => {
  const closed = ['2026-02-16', '2026-02-17', '2026-04-03', '2026-06-04', '2024-11-20', '2025-11-20', '2026-11-20'];
  for (const day of closed) assert.ok(!isBankingDay(day), day);
  assert.ok(isBankingDay('2023-11-20'), '20 November is a national holiday from 2024 on');
});

test('holidays of a state or a city are banking days', () => {
  // 9 July and 25 January in São Paulo, 23 April and 20 January in Rio de Janeiro.
  for (const day of ['2025-07-09', '2027-01-25', '2025-04-23', '2026-01-20']) assert.ok(isBankingDay(day), day);
});

// The examples A to G of `validadeAposVencimento` in bacen/pix-api 2.9.0: due day, days of validity, last day accepted.
const PUBLISHED = [
  ['A', '2020-10-20', 4, '2020-10-26'],
  ['B', '2020-12-25', 0, '2020-12-28'],
  ['C', '2020-12-25', 1, '2020-12-29'],
  ['D', '2020-12-25', 3, '2020-12-31'],
  ['E', '2020-12-25', 4, '2021-01-04'],
  ['F', '2021-08-27', 5, '2021-09-01'],
  ['G', '2021-08-28', 5, '2021-09-06'],
] as const;

for (const [example, dueDay, validityDays, lastDay] of PUBLISHED) {
  test(`the last day of the Central Bank's example ${example} is as published`, () => {
    assert.equal(nextBankingDay(addDays(nextBankingDay(dueDay), validityDays)), lastDay);
  });
}

const someDay = fc.integer({ min: 0, max: 20_000 }).map(days => addDays('2000-01-01', days));

test('the next banking day is a banking day, is not earlier, and skips no other', () => {
  fc.assert(
    fc.property(someDay, day => {
      const next = nextBankingDay(day);
      assert.ok(isBankingDay(next));
      assert.ok(next >= day);
      for (let between = day; between < next; between = addDays(between, 1)) assert.ok(!isBankingDay(between));
    }),
  );
});

test('banking days are counted one by one from the first on or after the day', () => {
  assert.equal(addBankingDays('2026-02-13', 0), '2026-02-13');
  assert.equal(addBankingDays('2026-02-13', 1), '2026-02-18', 'over Carnival');
  assert.equal(addBankingDays('2026-02-14', 0), '2026-02-18');
  assert.equal(addBankingDays('2026-02-14', 1), '2026-02-19');
  fc.assert(
    fc.property(someDay, fc.integer({ min: 0, max: 40 }), (day, count) => {
      const end = addBankingDays(day, count);
      const start = nextBankingDay(day);
      let counted = 0;
      for (let step = start; step < end; step = addDays(step, 1)) if (isBankingDay(step)) counted++;
      assert.equal(counted, count);
      assert.ok(isBankingDay(end));
    }),
  );
});

test('an operator can close a day and open another', () => {
  const overrides = new Map([
    ['2026-03-03', false],
    ['2026-03-07', true],
  ]);
  assert.ok(!isBankingDay('2026-03-03', overrides));
  assert.ok(isBankingDay('2026-03-07', overrides));
  assert.ok(isBankingDay('2026-03-04', overrides));
  assert.equal(nextBankingDay('2026-03-03', overrides), '2026-03-04');
  assert.equal(addBankingDays('2026-03-06', 1, overrides), '2026-03-07');
});

test('an endless pause, a negative count and text that is not a day are refused', () => {
  const never = new Map(Array.from({ length: 400 }, (_, index) => [addDays('2026-01-01', index), false] as const));
  assert.throws(() => nextBankingDay('2026-01-01', never), RangeError);
  for (const count of [-1, 0.5, Number.NaN, 1e9]) assert.throws(() => addBankingDays('2026-01-01', count), RangeError);
  for (const text of ['', 'today', '2026-13-01', '999-01-01'])
    assert.throws(() => isBankingDay(text), RangeError, text);
});

test('days are added over months, leap days and clock changes', () => {
  assert.equal(addDays('2024-02-28', 1), '2024-02-29');
  assert.equal(addDays('2023-02-28', 1), '2023-03-01');
  assert.equal(addDays('2018-11-03', 1), '2018-11-04');
  assert.equal(addDays('2026-01-01', -1), '2025-12-31');
  fc.assert(
    fc.property(someDay, fc.integer({ min: -9_999, max: 9_999 }), (day, days) => {
      assert.equal(daysBetween(day, addDays(day, days)), days);
    }),
  );
});

test('the first and the last day of the calendar work', () => {
  assert.equal(addDays('9999-12-30', 5), '9999-12-31');
  assert.equal(addDays('0000-01-02', -5), '0000-01-01');
  assert.equal(nextBankingDay('9999-12-31'), '9999-12-31');
  assert.equal(civilDay(new Date('0999-06-01T12:00:00Z')), '0999-06-01');
  assert.equal(civilDay(new Date('0000-01-01T00:00:00Z')), '0001-01-01');
  for (const day of ['0000-01-01', '0001-12-25', '0099-12-25', '1582-10-10']) assert.ok(nextBankingDay(day) >= day);
});

test('banking days between two days are those after the first, up to and with the last', () => {
  // Thursday, and Good Friday after it.
  assert.equal(bankingDaysBetween('2026-04-01', '2026-04-06'), 2);
  assert.equal(bankingDaysBetween('2026-04-02', '2026-04-05'), 0);
  assert.equal(bankingDaysBetween('2026-04-04', '2026-04-06'), 1);
  assert.equal(bankingDaysBetween('2026-04-06', '2026-04-01'), 0);
  assert.equal(bankingDaysBetween('2026-04-02', '2026-04-03', new Map([['2026-04-03', true]])), 1);
  assert.throws(() => bankingDaysBetween('2026-01-01', '2037-01-01'), RangeError);
});
