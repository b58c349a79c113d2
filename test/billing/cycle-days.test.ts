// The days of a plan: known vectors, and random series against a calculation that walks the calendar day by day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  dayAfter,
  dayFrom,
  dayNumberOf,
  firstDay,
  INTERVALS,
  type Interval,
  startOf,
} from '../../src/billing/plans/cycle-days.ts';
import { randomOf } from '../harness/random.ts';

/** So many days, from this one on. */
function series(interval: Interval, day: number, first: string, count: number): string[] {
  const days = [first];
  while (days.length < count) days.push(dayAfter(interval, day, days.at(-1)!));
  return days;
}

test('the 31st is the last day of every month, and February moves no month after it', () => {
  assert.deepEqual(series('monthly', 31, '2027-12-31', 6), [
    '2027-12-31',
    '2028-01-31',
    '2028-02-29',
    '2028-03-31',
    '2028-04-30',
    '2028-05-31',
  ]);
  assert.deepEqual(series('monthly', 30, '2026-12-30', 4), ['2026-12-30', '2027-01-30', '2027-02-28', '2027-03-30']);
  assert.deepEqual(series('quarterly', 31, '2026-11-30', 4), ['2026-11-30', '2027-02-28', '2027-05-31', '2027-08-31']);
  assert.deepEqual(series('semiannual', 31, '2026-08-31', 3), ['2026-08-31', '2027-02-28', '2027-08-31']);
  assert.deepEqual(series('yearly', 29, '2024-02-29', 5), [
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ]);
});

test('weeks keep their day of the week over the end of a year', () => {
  assert.deepEqual(series('weekly', 4, '2026-12-24', 3), ['2026-12-24', '2026-12-31', '2027-01-07']);
  assert.deepEqual(series('biweekly', 4, '2026-12-24', 3), ['2026-12-24', '2027-01-07', '2027-01-21']);
});

test('the first day is the next one that fits, the same day included', () => {
  assert.equal(firstDay('monthly', 10, '2026-11-10'), '2026-11-10');
  assert.equal(firstDay('monthly', 10, '2026-11-11'), '2026-12-10');
  assert.equal(firstDay('monthly', 31, '2027-02-28'), '2027-02-28');
  assert.equal(firstDay('yearly', 5, '2026-12-06'), '2027-01-05');
  // The 16th of November 2026 is a Monday.
  assert.equal(firstDay('weekly', 1, '2026-11-16'), '2026-11-16');
  assert.equal(firstDay('biweekly', 7, '2026-11-16'), '2026-11-22');
  assert.equal(firstDay('weekly', 1, '1969-12-30'), '1970-01-05');
});

test('a series is found again after a gap, and its week or month begins where the calendar says', () => {
  assert.equal(dayFrom('monthly', 31, '2026-11-30', '2027-02-27'), '2027-02-28');
  assert.equal(dayFrom('biweekly', 4, '2026-12-24', '2026-12-25'), '2027-01-07');
  assert.equal(dayFrom('monthly', 31, '2026-11-30', '2026-11-01'), '2026-11-30');
  assert.equal(startOf('weekly', '2026-11-22'), '2026-11-16');
  assert.equal(startOf('yearly', '2026-11-22'), '2026-11-01');
  assert.equal(dayNumberOf('weekly', '2026-11-22'), 7);
  assert.equal(dayNumberOf('quarterly', '2026-11-22'), 22);
});

test('the calendar ends with the year 9999', () => {
  assert.deepEqual(series('monthly', 30, '9999-11-30', 4), ['9999-11-30', '9999-12-30', '9999-12-31', '9999-12-31']);
  assert.equal(dayFrom('yearly', 1, '9999-01-01', '9999-12-31'), '9999-12-31');
});

const MONTHS: Partial<Record<Interval, number>> = { monthly: 1, quarterly: 3, semiannual: 6, yearly: 12 };

/** The same days, by walking day after day and asking the calendar of JavaScript for the month and the weekday. */
function walked(interval: Interval, day: number, first: string, count: number): string[] {
  const found: string[] = [];
  const start = new Date(`${first}T12:00:00Z`);
  for (const at = new Date(start); found.length < count; at.setUTCDate(at.getUTCDate() + 1)) {
    const tomorrow = new Date(at.getTime() + 86_400_000);
    const isLast = tomorrow.getUTCMonth() !== at.getUTCMonth();
    const months = (at.getUTCFullYear() - start.getUTCFullYear()) * 12 + at.getUTCMonth() - start.getUTCMonth();
    const every = MONTHS[interval];
    const fits =
      every === undefined
        ? Math.round((at.getTime() - start.getTime()) / 86_400_000) % (interval === 'weekly' ? 7 : 14) === 0
        : months % every === 0 && (at.getUTCDate() === day || (isLast && at.getUTCDate() < day));
    if (fits) found.push(at.toISOString().slice(0, 10));
  }
  return found;
}

test('random series are those of the calendar', () => {
  for (let index = 0; index < 300; index++) {
    const random = randomOf(2026_11_19, index);
    const interval = random.pick(INTERVALS);
    const from = new Date(Date.UTC(1990 + random.below(80), random.below(12), 1 + random.below(28))).toISOString();
    const day = 1 + random.below(MONTHS[interval] === undefined ? 7 : 31);
    const first = firstDay(interval, day, from.slice(0, 10));
    const what = `${interval} on ${day} from ${from.slice(0, 10)} (${index})`;
    assert.ok(first >= from.slice(0, 10), what);
    const weekday = new Date(`${first}T12:00:00Z`).getUTCDay() || 7;
    if (MONTHS[interval] === undefined) assert.equal(weekday, day, what);
    assert.deepEqual(series(interval, day, first, 14), walked(interval, day, first, 14), what);
  }
});
