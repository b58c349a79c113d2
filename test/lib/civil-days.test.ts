// Months from a civil day, against a calendar that counts day by day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMonths } from '../../src/lib/civil-days.ts';
import { randomOf } from '../harness/random.ts';

test('a month later is the same day, or the last day of a month that is too short', () => {
  const cases: readonly (readonly [from: string, months: number, to: string])[] = [
    ['2027-01-31', 0, '2027-01-31'],
    ['2027-01-31', 1, '2027-02-28'],
    ['2027-01-31', 2, '2027-03-31'],
    ['2027-01-31', 3, '2027-04-30'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2028-02-29', 48, '2032-02-29'],
    ['2026-12-10', 1, '2027-01-10'],
    ['2026-12-31', 59, '2031-11-30'],
    ['2099-11-30', 3, '2100-02-28'],
    ['0001-01-31', 1, '0001-02-28'],
    ['9999-11-30', 1, '9999-12-30'],
    ['9999-12-10', 1, '9999-12-31'],
  ];
  for (const [from, months, to] of cases) assert.equal(addMonths(from, months), to, `${from} + ${months}`);
});

/** Walks one day at a time, by the lengths of the months as they are taught in school. */
function walked(from: string, months: number): string {
  let [year, month] = from.split('-').map(Number) as [number, number, number];
  const day = Number(from.slice(-2));
  for (let step = 0; step < months; step++) {
    month++;
    if (month === 13) [year, month] = [year + 1, 1];
  }
  const isLeap = year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
  const last = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return [
    String(year).padStart(4, '0'),
    ...[month, Math.min(day, last)].map(part => String(part).padStart(2, '0')),
  ].join('-');
}

test('any number of months from any day matches the calendar', () => {
  for (let index = 0; index < 2_000; index++) {
    const random = randomOf(20, index);
    const day = new Date(Date.UTC(1950 + random.below(250), random.below(12), 1 + random.below(31)));
    const from = day.toISOString().slice(0, 10);
    const months = random.below(700);
    assert.equal(addMonths(from, months), walked(from, months), `${from} + ${months}`);
  }
});
