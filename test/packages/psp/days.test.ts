// The PSP counts days and reads moments with its own code, which must agree with the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isBankingDay, nextBankingDay } from '../../../packages/psp/src/banking-days.ts';
import { addDays, civilDay, daysBetween } from '../../../packages/psp/src/days.ts';
import { parseMoment } from '../../../packages/psp/src/moments.ts';
import * as service from '../../../src/lib/banking-days.ts';
import * as days from '../../../src/lib/civil-days.ts';
import { parseRfc3339 } from '../../../src/lib/date-times.ts';

test('for each day of a century both agree whether it is a banking day', () => {
  let day = '2000-01-01';
  for (; day < '2100-01-01'; day = addDays(day, 1)) {
    assert.equal(isBankingDay(day), service.isBankingDay(day), day);
    assert.equal(nextBankingDay(day), service.nextBankingDay(day), day);
  }
  assert.equal(addDays('9999-12-30', 40), '9999-12-31');
});

test('a moment is on the same day of São Paulo for both', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1930-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), at => {
      assert.equal(civilDay(at), days.civilDay(at));
      const later = addDays(civilDay(at), 400);
      assert.equal(daysBetween(civilDay(at), later), 400);
    }),
  );
});

test('a date-time is read as the service reads it, and refused where it refuses it', () => {
  const given = [
    ...['2026-11-17T09:30:00Z', '2026-11-17T09:30:00.123456Z', '2026-11-17t09:30:00z', '2026-11-17T09:30Z'],
    ...['2026-11-17T23:59:59-03:00', '2024-02-29T00:00:00+14:00', '2026-02-29T00:00:00Z', '2026-04-31T00:00:00Z'],
    ...['2026-11-17T24:00:00Z', '2026-11-17T09:60:00Z', '2026-11-17T09:30:60Z', '2026-11-17T09:30.5Z', '2026-11-17'],
    ...['2026-11-17T09:30:00', '2026-11-17T09:30:00+3', '2026-11-17T09:30:00+25:00', ' 2026-11-17T09:30:00Z', ''],
  ];
  for (const text of given) assert.deepEqual(parseMoment(text), parseRfc3339(text), text);
});
