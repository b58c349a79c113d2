// When orders are settled: day by day against the list of holidays in the law, around the cut-off and changes of the clock,
// and through the front door.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { StartError } from '../../src/lib/errors.ts';
import { businessDayOf, type SettlementRules, settlementAt } from '../../src/orders/settlement.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();
const dayOf = (ms: number) => iso(ms).slice(0, 10);

/** Easter Sunday by the computus of Gauss, with both of his exceptions. */
function easterMs(year: number): number {
  const century = Math.floor(year / 100);
  const moon = 15 + century - Math.floor((13 + 8 * century) / 25) - Math.floor(century / 4);
  const sun = 4 + century - Math.floor(century / 4);
  const golden = year % 19;
  const fullMoon = (19 * golden + (moon % 30)) % 30;
  const toSunday = (2 * (year % 4) + 4 * (year % 7) + 6 * fullMoon + (sun % 7)) % 7;
  const sinceMarch22 = fullMoon + toSunday;
  if (fullMoon === 29 && toSunday === 6) return Date.UTC(year, 3, 19);
  if (fullMoon === 28 && toSunday === 6 && golden > 10) return Date.UTC(year, 3, 18);
  return Date.UTC(year, 2, 22 + sinceMarch22);
}

const FIXED_HOLIDAYS = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '11-20', '12-25'];
/** Carnival Monday and Tuesday, Good Friday, Corpus Christi: days from Easter. */
const MOVING_HOLIDAYS = [-48, -47, -2, 60];
const FIRST_YEAR = 2023;
const LAST_YEAR = 2031;

/** Banking days from the law, as ISO days in order. 20 November is a holiday from 2024 on; 2023 is not compared. */
function bankingDays(): string[] {
  const closed = new Set<string>();
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year++) {
    for (const day of FIXED_HOLIDAYS) closed.add(`${year}-${day}`);
    for (const days of MOVING_HOLIDAYS) closed.add(dayOf(easterMs(year) + days * DAY_MS));
  }
  const open: string[] = [];
  for (let ms = Date.UTC(FIRST_YEAR, 0, 1); ms < Date.UTC(LAST_YEAR + 1, 0, 1); ms += DAY_MS) {
    const weekday = new Date(ms).getUTCDay();
    if (weekday > 0 && weekday < 6 && !closed.has(dayOf(ms))) open.push(dayOf(ms));
  }
  return open;
}

const RULES: SettlementRules = { cutOffHour: 17, opensAtHour: 9, d0: 'banking_days' };
const AT_ONCE: SettlementRules = { ...RULES, d0: 'at_once' };
/** São Paulo has kept this offset since 2019. */
const at = (day: string, time: string) => new Date(`${day}T${time}-03:00`);

test('the calendar of this test matches published Easter days and holidays', () => {
  assert.deepEqual(
    [1954, 1981, 2024, 2025, 2026, 2027, 2028, 2029, 2030].map(year => dayOf(easterMs(year))),
    [
      '1954-04-18',
      '1981-04-19',
      '2024-03-31',
      '2025-04-20',
      '2026-04-05',
      '2027-03-28',
      '2028-04-16',
      '2029-04-01',
      '2030-04-21',
    ],
  );
  const open = new Set(bankingDays());
  for (const day of ['2026-12-24', '2026-12-31', '2026-02-18']) assert.ok(open.has(day), day);
  for (const day of ['2026-02-16', '2026-02-17', '2026-04-03', '2026-06-04', '2026-11-20'])
    assert.ok(!open.has(day), day);
});

test("every day from 2024 to 2030 settles D0, D1 and D2 by the law's holidays, before and after the cut-off", () => {
  const open = bankingDays();
  const inTime = ['00:00:00.000', '12:00:00.000', '16:59:59.999'];
  const tooLate = ['17:00:00.000', '23:59:59.999'];
  let judged = 0;
  let next = 0;
  for (let ms = Date.UTC(2024, 0, 1); ms <= Date.UTC(2030, 11, 31); ms += DAY_MS) {
    const day = dayOf(ms);
    // The first banking day on or after the day, and the first after it.
    while (open[next]! < day) next++;
    const isOpen = open[next] === day;
    for (const time of [...inTime, ...tooLate]) {
      const paidAt = at(day, time);
      const isInTime = isOpen && inTime.includes(time);
      const index = isOpen && !isInTime ? next + 1 : next;
      assert.equal(businessDayOf(paidAt, RULES), open[index], `${day} ${time}`);
      const settles = (days: number) => at(open[index + days]!, '09:00').toISOString();
      const schedules = (schedule: string) => `${schedule} of ${day} ${time}`;
      const d0 = isInTime ? paidAt.toISOString() : settles(0);
      assert.equal(settlementAt('D0', paidAt, RULES).toISOString(), d0, schedules('D0'));
      assert.equal(settlementAt('D0', paidAt, AT_ONCE), paidAt, schedules('D0 at once'));
      assert.equal(settlementAt('D1', paidAt, RULES).toISOString(), settles(1), schedules('D1'));
      assert.equal(settlementAt('D2', paidAt, AT_ONCE).toISOString(), settles(2), schedules('D2'));
      judged++;
    }
  }
  assert.equal(judged, 2557 * 5);
});

test('the cut-off is a local time, exact to the millisecond, for every minute of a day', () => {
  const half: SettlementRules = { ...RULES, cutOffHour: 15.5, opensAtHour: 10.25 };
  assert.equal(settlementAt('D1', at('2026-11-16', '15:29:59.999'), half).toISOString(), '2026-11-17T13:15:00.000Z');
  assert.equal(settlementAt('D1', at('2026-11-16', '15:30'), half).toISOString(), '2026-11-18T13:15:00.000Z');
  // Every minute of a day, as the environment gives it.
  for (let minute = 0; minute < 1440; minute++) {
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const rules = readConfig({ TRILHO_CUT_OFF: time, TRILHO_SETTLES_AT: time }).settlement;
    const cutOff = at('2026-11-17', time);
    assert.equal(businessDayOf(new Date(cutOff.getTime() - 1), rules), '2026-11-17', time);
    assert.equal(businessDayOf(cutOff, rules), '2026-11-18', time);
    assert.equal(settlementAt('D1', cutOff, rules).toISOString(), at('2026-11-19', time).toISOString(), time);
  }
});

test('the clock in São Paulo is the one of that year, also when it had daylight saving', () => {
  const settles = (paidAt: string) => settlementAt('D1', new Date(paidAt), RULES).toISOString();
  // 1 November 2018, a Thursday at -03:00; the 2nd is a holiday, and on Sunday the 4th the clock went to -02:00.
  assert.equal(settles('2018-11-01T19:59:59.999Z'), '2018-11-05T11:00:00.000Z');
  assert.equal(settles('2018-11-01T20:00:00.000Z'), '2018-11-06T11:00:00.000Z');
  assert.equal(settles('2018-11-05T18:59:59.999Z'), '2018-11-06T11:00:00.000Z');
  assert.equal(settles('2018-11-05T19:00:00.000Z'), '2018-11-07T11:00:00.000Z');
  // 16 February 2018, a Friday at -02:00; the clock went back to -03:00 in the night to Sunday.
  assert.equal(settles('2018-02-16T18:59:59.999Z'), '2018-02-19T12:00:00.000Z');
  assert.equal(settles('2018-02-16T19:00:00.000Z'), '2018-02-20T12:00:00.000Z');
  // Half an hour of each side of both midnights belongs to a weekend.
  for (const moment of ['2018-11-04T02:30:00Z', '2018-11-04T03:30:00Z']) {
    assert.equal(businessDayOf(new Date(moment), RULES), '2018-11-05', moment);
  }
  for (const moment of ['2018-02-18T01:30:00Z', '2018-02-18T02:30:00Z', '2018-02-18T03:30:00Z']) {
    assert.equal(businessDayOf(new Date(moment), RULES), '2018-02-19', moment);
  }
});

test('D0 pays at once day and night, or only on banking days if so configured', () => {
  const moments = [
    ['2026-11-16T03:12-03:00', '2026-11-16T06:12:00.000Z'],
    ['2026-11-16T23:40-03:00', '2026-11-17T12:00:00.000Z'],
    ['2026-11-19T17:00-03:00', '2026-11-23T12:00:00.000Z'],
    ['2026-11-20T11:00-03:00', '2026-11-23T12:00:00.000Z'],
    ['2026-11-22T11:00-03:00', '2026-11-23T12:00:00.000Z'],
    ['2026-12-24T16:59-03:00', '2026-12-24T19:59:00.000Z'],
    ['2026-12-25T10:00-03:00', '2026-12-28T12:00:00.000Z'],
  ] as const;
  for (const [paid, banking] of moments) {
    const paidAt = new Date(paid);
    assert.equal(settlementAt('D0', paidAt, AT_ONCE), paidAt, paid);
    assert.equal(settlementAt('D0', paidAt, RULES).toISOString(), banking, paid);
  }
});

test('an operator closes a banking day and opens another', () => {
  const { settlement } = readConfig({
    TRILHO_BANKING_DAYS: '2026-11-17=closed,2026-11-21=open',
    TRILHO_SAME_DAY: 'banking_days',
  });
  const settles = (schedule: 'D0' | 'D1' | 'D2', paid: string) =>
    settlementAt(schedule, new Date(paid), settlement).toISOString();
  assert.equal(settles('D1', '2026-11-16T10:00-03:00'), '2026-11-18T12:00:00.000Z', 'over the closed Tuesday');
  assert.equal(settles('D0', '2026-11-17T10:00-03:00'), '2026-11-18T12:00:00.000Z', 'paid on the closed Tuesday');
  assert.equal(settles('D1', '2026-11-19T10:00-03:00'), '2026-11-21T12:00:00.000Z', 'to the open Saturday');
  assert.equal(settles('D0', '2026-11-21T10:00-03:00'), '2026-11-21T13:00:00.000Z', 'paid on the open Saturday');
  assert.equal(settles('D2', '2026-11-19T10:00-03:00'), '2026-11-23T12:00:00.000Z');
});

test('the environment sets the rules; the defaults are 17:00, 09:00 and at once', () => {
  assert.deepEqual(readConfig({}).settlement, { ...AT_ONCE, bankingDays: new Map() });
  const given = readConfig({
    TRILHO_CUT_OFF: '15:30',
    TRILHO_SETTLES_AT: '00:00',
    TRILHO_SAME_DAY: 'banking_days',
    TRILHO_BANKING_DAYS: '2026-12-24=closed, 2026-12-26=open',
  });
  const bankingDays = new Map([
    ['2026-12-24', false],
    ['2026-12-26', true],
  ]);
  assert.deepEqual(given.settlement, { cutOffHour: 15.5, opensAtHour: 0, d0: 'banking_days', bankingDays });
});

const WRONG = {
  TRILHO_CUT_OFF: ['24:00', '17:60', '5 pm', '17', '1700', '17:00:00', '-1:00', ' 17:00', '７:00'],
  TRILHO_SETTLES_AT: ['9:00', '24:00', 'noon'],
  TRILHO_SAME_DAY: ['AT_ONCE', 'never', 'at once'],
  TRILHO_BANKING_DAYS: ['2026-12-24', '2026-02-29=closed', '2026-12-24=shut', '24/12/2026=closed', '2026-12-24=open;x'],
};

for (const [name, values] of Object.entries(WRONG)) {
  test(`a wrong ${name} stops the start and is named`, () => {
    for (const value of values) {
      const isNamed = (error: unknown) =>
        error instanceof StartError && error.message.startsWith(`${name} must be`) && error.message.includes(value);
      assert.throws(() => readConfig({ [name]: value }), isNamed, value);
    }
  });
}

test('wrong rules are named all at once', () => {
  const wrong = Object.fromEntries(Object.entries(WRONG).map(([name, [value]]) => [name, value]));
  const isComplete = (error: unknown) =>
    error instanceof StartError && Object.keys(WRONG).every(name => error.message.includes(`${name} must be`));
  assert.throws(() => readConfig(wrong), isComplete);
});

// Through the front door. One service, whose time advances from one test to the next.

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  orders = orderDriver(service);
});
after(() => service.stop());

async function travelTo(moment: string): Promise<void> {
  const { status, text } = await service.post('/sandbox/clock', { to: moment });
  assert.equal(status, 200, text);
}

async function ordered(settlementSchedule: string, method = 'pix'): Promise<Answer> {
  const order = await orders.order({ settlementSchedule, charge: { ...CHARGE_PART, methods: [method] } });
  assert.equal(order.status, 201, order.text);
  await service.runJobs();
  const paid = await orders.pay(order, { method });
  assert.equal(paid.status, 200, paid.text);
  await service.runJobs();
  return order;
}

async function standsAs(order: Answer, status: string, settlementDate: string): Promise<void> {
  const now = await orders.read(order);
  assert.deepEqual({ status: now.status, settlementDate: now.settlementDate }, { status, settlementDate });
}

/** It waits for its day, not a second longer, and is done minutes later with that day as settlement day. */
async function settlesAt(order: Answer, moment: string): Promise<void> {
  await travelTo(iso(Date.parse(moment) - 1_000));
  await standsAs(order, 'fulfillment_scheduled', moment);
  await travelTo(moment);
  await standsAs(order, 'fulfilling', moment);
  await orders.advance('PT10M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
  const afterMs = Date.parse(done.settlementDate) - Date.parse(moment);
  assert.ok(afterMs > 0 && afterMs <= 600_000, done.settlementDate);
  const way = 'pending_payment pending_fulfillment fulfillment_scheduled fulfilling fulfilled';
  assert.equal(await orders.events(order), way);
}

test('a D1 order paid on Monday by pix is sent on Tuesday, a D2 order on Wednesday', async () => {
  const [d1, d2] = [await ordered('D1'), await ordered('D2')];
  await standsAs(d1, 'fulfillment_scheduled', '2026-11-17T12:00:00.000Z');
  await standsAs(d2, 'fulfillment_scheduled', '2026-11-18T12:00:00.000Z');
  await settlesAt(d1, '2026-11-17T12:00:00.000Z');
  await settlesAt(d2, '2026-11-18T12:00:00.000Z');
});

test('a D1 order paid by boleto counts from the day on which the boleto is settled', async () => {
  await travelTo('2026-11-18T14:00:00.000Z');
  const order = await ordered('D1', 'boleto');
  assert.equal((await orders.read(order)).status, 'pending_fulfillment');
  await travelTo('2026-11-19T02:59:59.000Z');
  assert.equal((await orders.read(order)).status, 'pending_fulfillment');
  await travelTo('2026-11-19T03:00:00.000Z');
  // Credited on Thursday the 19th; Friday the 20th is a holiday.
  await standsAs(order, 'fulfillment_scheduled', '2026-11-23T12:00:00.000Z');
  await settlesAt(order, '2026-11-23T12:00:00.000Z');
});

test('an order paid after the cut-off before a long weekend waits it out and a day more', async () => {
  // Friday after the cut-off; Monday and Tuesday are Carnival, Ash Wednesday is a banking day.
  await travelTo('2027-02-05T20:00:00.000Z');
  const order = await ordered('D1');
  await standsAs(order, 'fulfillment_scheduled', '2027-02-11T12:00:00.000Z');
  await travelTo('2027-02-10T12:00:00.000Z');
  await standsAs(order, 'fulfillment_scheduled', '2027-02-11T12:00:00.000Z');
  await settlesAt(order, '2027-02-11T12:00:00.000Z');
});

test('a D0 order is sent in the middle of a Sunday night', async () => {
  await travelTo('2027-02-14T05:30:00.000Z');
  const order = await ordered('D0');
  await standsAs(order, 'fulfilling', '2027-02-14T05:30:00.000Z');
  await orders.advance('PT10M');
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
});
