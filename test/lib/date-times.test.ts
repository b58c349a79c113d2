// Dates and times in requests: what the two grammars accept and refuse, and which instant is meant.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { isLater, parseRfc3339, parseUtc } from '../../src/lib/date-times.ts';
import { chargeBody } from '../harness/bodies.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

type Civil = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** Absent: only hours and minutes are written. */
  readonly second: number | undefined;
  readonly fraction: string;
};

const digits = (number: number, width: number) => String(number).padStart(width, '0');

/** The rule of leap years, written differently than in the code: a century is leap when its hundreds are. */
function daysIn(year: number, month: number): number {
  const isLeap = (year % 100 === 0 ? year / 100 : year) % 4 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!;
}

/** Days since 1970-01-01 by counting: whole cycles of 400 years, then year by year, month by month. */
function dayNumber({ year, month, day }: Pick<Civil, 'year' | 'month' | 'day'>): number {
  const DAYS_IN_400_YEARS = 146_097;
  let days = Math.floor((year - 2000) / 400) * DAYS_IN_400_YEARS + 10_957; // 2000-01-01 is day 10,957.
  const first = 2000 + Math.floor((year - 2000) / 400) * 400;
  for (let y = first; y < year; y++) days += daysIn(y, 2) === 29 ? 366 : 365;
  for (let m = 1; m < month; m++) days += daysIn(year, m);
  return days + day - 1;
}

/** The instant in whole milliseconds, its fraction cut. */
function instantMs(civil: Civil): number {
  const { hour, minute, second = 0, fraction } = civil;
  const seconds = dayNumber(civil) * 86_400 + hour * 3_600 + minute * 60 + second;
  return seconds * 1000 + Math.floor(Number(`0.${fraction.slice(0, 3) || '0'}`) * 1000 + 0.5);
}

const written = ({ year, month, day, hour, minute, second, fraction }: Civil) => {
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  const seconds = second === undefined ? '' : `:${digits(second, 2)}${fraction === '' ? '' : `.${fraction}`}`;
  return `${date}T${digits(hour, 2)}:${digits(minute, 2)}${seconds}`;
};

const years = fc.oneof(
  fc.integer({ min: 0, max: 9999 }),
  fc.constantFrom(0, 4, 100, 400, 1582, 1600, 1700, 1900, 1970, 2000, 2024, 2100, 2400, 9999),
);

const civils: fc.Arbitrary<Civil> = fc
  .tuple(years, fc.integer({ min: 1, max: 12 }))
  .chain(([year, month]) =>
    fc.record({
      year: fc.constant(year),
      month: fc.constant(month),
      day: fc.oneof(fc.integer({ min: 1, max: daysIn(year, month) }), fc.constant(daysIn(year, month))),
      hour: fc.integer({ min: 0, max: 23 }),
      minute: fc.integer({ min: 0, max: 59 }),
      second: fc.option(fc.integer({ min: 0, max: 59 }), { nil: undefined }),
      fraction: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 30 }),
    }),
  )
  .map(civil => (civil.second === undefined ? { ...civil, fraction: '' } : civil));

const RUNS = { numRuns: scaled(6_000) };
/** Of 400 years, after which the calendar repeats. */
const CYCLES = scaled(25, 6);
const LAST_YEAR = CYCLES * 400 - 1;

test('every real date and time with a Z is accepted and means the right instant', () => {
  fc.assert(
    fc.property(civils, civil => {
      const text = `${written(civil)}Z`;
      const moment = parseUtc(text);
      assert(moment, text);
      assert.equal(moment.floorMs, instantMs(civil), text);
      // Past the milliseconds, the instant lies between two of them.
      const isBetween = /[1-9]/.test(civil.fraction.slice(3));
      assert.equal(moment.ceilMs, moment.floorMs + (isBetween ? 1 : 0), text);
    }),
    RUNS,
  );
});

test(`every day of the years 0000 to ${LAST_YEAR} is accepted, and the day after the last of a month is not`, () => {
  let dayCount = 0;
  for (let year = 0; year <= LAST_YEAR; year++) {
    for (let month = 1; month <= 12; month++) {
      const prefix = `${digits(year, 4)}-${digits(month, 2)}-`;
      const last = daysIn(year, month);
      const [first, end] = [parseUtc(`${prefix}01T00:00Z`), parseUtc(`${prefix}${last}T00:00Z`)];
      assert.equal(first?.floorMs, dayNumber({ year, month, day: 1 }) * 86_400_000, prefix);
      assert.equal(end?.floorMs, dayNumber({ year, month, day: last }) * 86_400_000, prefix);
      for (const day of ['00', digits(last + 1, 2), '32', '99']) {
        assert.equal(parseUtc(`${prefix}${day}T00:00Z`), undefined, prefix + day);
        assert.equal(parseRfc3339(`${prefix}${day}T00:00:00Z`), undefined, prefix + day);
      }
      dayCount += last;
    }
  }
  assert.equal(dayCount, CYCLES * 146_097);
});

test('February 29 exists in leap years alone', () => {
  for (const year of ['0000', '0004', '1600', '2000', '2024', '2400']) {
    assert(parseUtc(`${year}-02-29T10:30Z`), year);
    assert(parseRfc3339(`${year}-02-29T10:30:00Z`), year);
  }
  for (const year of ['0001', '0100', '1700', '1800', '1900', '2023', '2025', '2100', '2200', '9999']) {
    assert.equal(parseUtc(`${year}-02-29T10:30Z`), undefined, year);
    assert.equal(parseRfc3339(`${year}-02-29T10:30:00Z`), undefined, year);
  }
});

/** Each turns a valid text into one that the rule for `from` and `to` refuses. */
const SPOILERS: Record<string, (text: string, civil: Civil) => string> = {
  'a lower-case z': text => text.replace('Z', 'z'),
  'a lower-case t': text => text.replace('T', 't'),
  'no Z': text => text.replace('Z', ''),
  'an offset of zero': text => text.replace('Z', '+00:00'),
  'an offset beside the Z': text => text.replace('Z', 'Z+00:00'),
  'an offset': text => text.replace('Z', '-03:00'),
  'a blank for the T': text => text.replace('T', ' '),
  'a blank before': text => ` ${text}`,
  'a blank after': text => `${text} `,
  'a blank inside': text => text.replace('T', ' T'),
  'a line break after': text => `${text}\n`,
  'a tab before': text => `\t${text}`,
  'the date alone': text => text.slice(0, 10),
  'the date and a Z': text => `${text.slice(0, 10)}Z`,
  'the time alone': text => text.slice(11),
  'no minutes': text => `${text.slice(0, 13)}Z`,
  'hour 24': text => `${text.slice(0, 11)}24:00Z`,
  'hour 24 with seconds': text => `${text.slice(0, 11)}24:00:00Z`,
  'hour 99': text => `${text.slice(0, 11)}99${text.slice(13)}`,
  'minute 60': text => `${text.slice(0, 14)}60Z`,
  'second 60': text => `${text.slice(0, 16)}:60Z`,
  'second 60 at the end of a day': text => `${text.slice(0, 11)}23:59:60Z`,
  'month 0': text => `${text.slice(0, 5)}00${text.slice(7)}`,
  'month 13': text => `${text.slice(0, 5)}13${text.slice(7)}`,
  'day 0': text => `${text.slice(0, 8)}00${text.slice(10)}`,
  'the day after the last': (text, { year, month }) => text.slice(0, 8) + (daysIn(year, month) + 1) + text.slice(10),
  'a year of five digits': text => `1${text}`,
  'a year of three digits': text => text.slice(1),
  'a year with a sign': text => `+00${text}`,
  'a negative year': text => `-${text}`,
  'a month of one digit': text => `${text.slice(0, 5)}2${text.slice(7)}`,
  'a day of one digit': text => `${text.slice(0, 8)}9${text.slice(10)}`,
  slashes: text => text.replaceAll('-', '/'),
  'the basic format': text => text.replaceAll(/[-:]/g, ''),
  'a comma in the fraction': text => `${text.slice(0, 16)}:00,5Z`,
  'a fraction without digits': text => `${text.slice(0, 16)}:00.Z`,
  'a fraction of minutes': text => `${text.slice(0, 16)}.5Z`,
  'two fractions': text => `${text.slice(0, 16)}:00.5.5Z`,
  'a digit that is not ASCII': text => `٢${text.slice(1)}`,
  'a wide digit': text => `２${text.slice(1)}`,
  'a minus that is not ASCII': text => text.replace('-', '−'),
  'U+0000 after': text => `${text}\u0000`,
  'U+FEFF before': text => `\ufeff${text}`,
  twice: text => text + text,
  nothing: () => '',
};

test('every damaged date and time is refused by the rule for from and to', () => {
  const spoilers = fc.constantFrom(...Object.keys(SPOILERS));
  fc.assert(
    fc.property(civils, spoilers, (civil, name) => {
      const text = SPOILERS[name]!(`${written(civil)}Z`, civil);
      assert.equal(parseUtc(text), undefined, `${name}: ${JSON.stringify(text)}`);
    }),
    { numRuns: RUNS.numRuns * 2 },
  );
});

test('the examples of the contract are read as it says', () => {
  assert.equal(parseUtc('2024-02-29T10:30Z')?.floorMs, 1_709_202_600_000);
  const refused = [
    '2023-02-29T10:30Z',
    '2024-01-01',
    '2024-01-01T24:00Z',
    '2024-01-01T10:30+00:00',
    '2024-01-01T10:30z',
  ];
  for (const text of [...refused, '2024-01-01 10:30Z', '2024-2-29T10:30Z', '2024-02-29T10:30']) {
    assert.equal(parseUtc(text), undefined, text);
  }
});

test('moments are compared by all their digits', () => {
  const fractions = fc.string({ unit: fc.constantFrom(...'0019'), maxLength: 12 });
  fc.assert(
    fc.property(fractions, fractions, (a, b) => {
      const read = (fraction: string) => parseUtc(`2026-03-01T12:00:00${fraction && `.${fraction}`}Z`)!;
      const whole = (fraction: string) => BigInt(fraction.padEnd(12, '0') || '0');
      assert.equal(isLater(read(a), read(b)), whole(a) > whole(b), `${a} and ${b}`);
    }),
    RUNS,
  );
});

const offsets = fc.record({
  sign: fc.constantFrom(1, -1),
  hours: fc.integer({ min: 0, max: 23 }),
  minutes: fc.integer({ min: 0, max: 59 }),
});

test('an RFC 3339 date-time with any offset is accepted and means the right instant', () => {
  // One year inside the limits, so that no offset leads out of the four-digit years.
  const inner = civils.filter(({ year }) => year >= 1 && year <= 9998);
  const letters = fc.constantFrom('T', 't');
  fc.assert(
    fc.property(inner, offsets, letters, (civil, { sign, hours, minutes }, letter) => {
      const zone = `${sign > 0 ? '+' : '-'}${digits(hours, 2)}:${digits(minutes, 2)}`;
      const text = written(civil).replace('T', letter) + zone;
      assert.equal(parseRfc3339(text)?.getTime(), instantMs(civil) - sign * (hours * 60 + minutes) * 60_000, text);
    }),
    RUNS,
  );
  fc.assert(
    fc.property(civils, fc.constantFrom('Z', 'z', '+00:00', '-00:00'), (civil, zone) => {
      assert.equal(parseRfc3339(written(civil) + zone)?.getTime(), instantMs(civil));
    }),
    RUNS,
  );
});

test('an RFC 3339 date-time that does not exist, or lies outside the four-digit years, is refused', () => {
  const notSpoiltHere = [
    ...['a lower-case z', 'a lower-case t', 'an offset of zero', 'an offset'],
    // A leap second may be real; this calendar has none, and nothing is promised.
    ...['second 60', 'second 60 at the end of a day'],
  ];
  const spoilers = fc.constantFrom(...Object.keys(SPOILERS).filter(name => !notSpoiltHere.includes(name)));
  fc.assert(
    fc.property(civils, spoilers, (civil, name) => {
      const text = SPOILERS[name]!(`${written(civil)}Z`, civil);
      assert.equal(parseRfc3339(text), undefined, `${name}: ${JSON.stringify(text)}`);
    }),
    RUNS,
  );
  const zones = [
    '+24:00',
    '-24:00',
    '+03:60',
    '+0300',
    '+03',
    '+3:00',
    '-03:00:00',
    '+03:00Z',
    '03:00',
    'GMT',
    '−03:00',
  ];
  for (const zone of zones) assert.equal(parseRfc3339(`2026-12-10T10:00:00${zone}`), undefined, zone);
  for (const text of ['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01']) {
    assert.equal(parseRfc3339(text), undefined, text);
  }
});

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const listStatus = async (query: string) => (await service.get(`/crypto/transactions?${query}`)).status;

test('from and to answer through HTTP as the rule says', async () => {
  const [civil] = fc.sample(civils, { seed: 1, numRuns: 1 });
  assert(civil);
  for (const name of ['from', 'to']) {
    for (const sample of fc.sample(civils, { seed: 20_261_116, numRuns: scaled(100) })) {
      const text = `${written(sample)}Z`;
      assert.equal(await listStatus(`${name}=${text}`), 200, text);
    }
    for (const [spoiler, spoil] of Object.entries(SPOILERS)) {
      const text = spoil(`${written(civil)}Z`, civil);
      const refused = await service.get(`/crypto/transactions?${name}=${encodeURIComponent(text)}`);
      assert.equal(refused.status, 400, `${spoiler}: ${text}`);
      assert.deepEqual(
        refused.json.errors.map(({ path }: { path: string }) => path),
        [name],
        spoiler,
      );
    }
  }
});

test('a plus that was not encoded is a blank, and refused', async () => {
  assert.equal(await listStatus('from=2024-02-29T10:30+00:00'), 400);
  assert.equal(await listStatus('from=2024-02-29+10:30Z'), 400);
});

test('both bounds are inclusive, to the digit past the millisecond', async () => {
  const createdAt = new Date('2026-03-01T12:00:00.250Z');
  await seed(service, [transaction({ createdAt })]);
  const total = async (query: string) => (await service.get(`/crypto/transactions?${query}`)).json.total;
  const second = '2026-03-01T12:00:00';
  assert.equal(await total(`from=${second}.250Z&to=${second}.250Z`), 1);
  assert.equal(await total(`from=${second}.25Z&to=${second}.25000000000000000000Z`), 1);
  assert.equal(await total(`from=${second}.2500000000000000000001Z`), 0);
  assert.equal(await total(`from=${second}.2499999999999999999999Z`), 1);
  assert.equal(await total(`to=${second}.2499999999999999999999Z`), 0);
  assert.equal(await total(`to=${second}.2500000000000000000001Z`), 1);
  assert.equal(await total('from=2026-03-01T12:00Z&to=2026-03-01T12:01Z'), 1);
  assert.equal(await total('from=0000-01-01T00:00Z&to=9999-12-31T23:59:59.999Z'), 1);
});

test('bounds are exact in every century', async () => {
  const centuries = ['0001', '1582', '1969', '2254', '2300', '5000', '9000', '9999'];
  for (const [index, year] of centuries.entries()) {
    const createdAt = new Date(`${year}-07-01T12:00:0${index}.${digits(index * 37 + 1, 3)}Z`);
    await seed(service, [{ ...transaction(), createdAt }]);
    const total = async (from: number, to: number) => {
      const at = (ms: number) => new Date(createdAt.getTime() + ms).toISOString();
      return (await service.get(`/crypto/transactions?from=${at(from)}&to=${at(to)}`)).json.total;
    };
    assert.deepEqual([await total(0, 0), await total(-1, -1), await total(1, 1)], [1, 0, 0], year);
  }
});

test('a from later than to is refused, naming both', async () => {
  const later = ['2026-03-01T12:00:00.0000001Z', '2026-03-01T12:00Z'];
  const refused = await service.get(`/crypto/transactions?from=${later[0]}&to=${later[1]}`);
  assert.equal(refused.status, 400);
  assert.equal(refused.json.code, 'invalid_request');
  assert.deepEqual(refused.json.errors.map(({ path }: { path: string }) => path).toSorted(), ['from', 'to']);
  assert.equal(await listStatus(`from=${later[1]}&to=${later[0]}`), 200);
  assert.equal(await listStatus(`from=${later[1]}&to=${later[1]}`), 200);
});

test('dueAt and expireAt are read with their offsets and shown in UTC', async () => {
  const inner = civils.filter(({ year }) => year >= 1 && year <= 9997);
  const samples = fc.sample(fc.tuple(inner, offsets), { seed: 20_261_116, numRuns: scaled(60) });
  for (const [civil, { sign, hours, minutes }] of samples) {
    const zone = `${sign > 0 ? '+' : '-'}${digits(hours, 2)}:${digits(minutes, 2)}`;
    const dueAt = written(civil) + zone;
    const instant = new Date(instantMs(civil) - sign * (hours * 60 + minutes) * 60_000);
    const made = await service.post('/charges', chargeBody({ methods: ['pix'], dueAt, expireAt: dueAt }));
    assert.equal(made.status, 201, `${dueAt} ${made.text}`);
    const { json } = await service.get(`/charges/${made.json.id}`);
    assert.deepEqual([json.dueAt, json.expireAt], [instant.toISOString(), instant.toISOString()], dueAt);
  }
});

test('an expireAt before dueAt is refused even when its text looks later', async () => {
  const dueAt = '2026-12-10T00:00:00-03:00';
  const refused = await service.post('/charges', chargeBody({ dueAt, expireAt: '2026-12-10T02:59:59.999Z' }));
  assert.equal(refused.status, 400);
  assert.deepEqual(
    refused.json.errors.map(({ path }: { path: string }) => path),
    ['expireAt'],
  );
  const equal = await service.post('/charges', chargeBody({ dueAt, expireAt: '2026-12-10T03:00:00Z' }));
  assert.equal(equal.status, 201);
});
