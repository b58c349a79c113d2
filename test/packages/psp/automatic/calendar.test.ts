// Cycles and days of Pix Automático.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cycleOf,
  daysAhead,
  lastRetryDay,
  settlementDay,
  startOfCycle,
} from '../../../../packages/psp/src/automatic/calendar.ts';
import { DEFAULT_AUTOMATIC_RULES } from '../../../../packages/psp/src/automatic/rules.ts';
import type { Periodicity } from '../../../../packages/psp/src/automatic/states.ts';

const every = (periodicidade: Periodicity, dataInicial: string) => ({ dataInicial, periodicidade });

test('a day belongs to the cycle that began last, and a day that a month lacks becomes its last day', () => {
  const endOfMonth = every('MENSAL', '2030-01-31');
  const starts = [0, 1, 2, 3].map(cycle => startOfCycle(endOfMonth, cycle));
  assert.deepEqual(starts, ['2030-01-31', '2030-02-28', '2030-03-31', '2030-04-30']);
  const days = ['2030-01-30', '2030-01-31', '2030-02-27', '2030-02-28', '2030-03-30', '2030-03-31', '2031-01-31'];
  assert.deepEqual(
    days.map(day => cycleOf(endOfMonth, day)),
    [-1, 0, 0, 1, 1, 2, 12],
  );
  const found = [
    cycleOf(every('SEMANAL', '2030-12-10'), '2030-12-16'),
    cycleOf(every('SEMANAL', '2030-12-10'), '2030-12-17'),
    cycleOf(every('TRIMESTRAL', '2030-12-10'), '2031-03-09'),
    cycleOf(every('TRIMESTRAL', '2030-12-10'), '2031-03-10'),
    cycleOf(every('SEMESTRAL', '2030-12-10'), '2031-06-10'),
    cycleOf(every('ANUAL', '2032-02-29'), '2033-02-28'),
  ];
  assert.deepEqual(found, [0, 1, 0, 1, 1, 1]);
});

test('retries end a week after the due day, or the day before the next cycle', () => {
  assert.equal(lastRetryDay(every('MENSAL', '2030-12-10'), '2030-12-10'), '2030-12-17');
  assert.equal(lastRetryDay(every('MENSAL', '2030-12-10'), '2031-01-06'), '2031-01-09');
  assert.equal(lastRetryDay(every('SEMANAL', '2030-12-10'), '2030-12-10'), '2030-12-16');
});

test('days ahead count as the rules say, and settlement waits for a banking day', () => {
  const rules = DEFAULT_AUTOMATIC_RULES;
  assert.equal(daysAhead(rules, '2030-12-20', '2030-12-30'), 10);
  assert.equal(daysAhead({ ...rules, countedIn: 'banking' }, '2030-12-20', '2030-12-30'), 5);
  assert.equal(daysAhead({ ...rules, countedIn: 'banking' }, '2030-12-20', '2030-12-19'), -1);
  assert.equal(settlementDay(rules, '2030-12-25', undefined), '2030-12-26');
  const local = { ...rules, localHolidays: { '3550308': ['2030-12-26'] } };
  assert.deepEqual(
    [settlementDay(local, '2030-12-25', '3550308'), settlementDay(local, '2030-12-25', '2611606')],
    ['2030-12-27', '2030-12-26'],
  );
});
