// Date-times on the wire: two grammars, one calendar check. A moment counts milliseconds since 1970.

/** A parsed date-time. Its fraction may be finer than a millisecond. */
export type Moment = {
  /** The whole millisecond at or before it, and at or after it. */
  readonly floorMs: number;
  readonly ceilMs: number;
  /** The digits of its fraction after the milliseconds, without trailing zeros. */
  readonly beyond: string;
};

// `from` and `to` of GET /crypto/transactions: seconds and fraction optional, the Z mandatory and upper case.
const UTC = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z)$/;
// Everywhere else: RFC 3339, any offset, either case; seconds may be left out as in the grammar above.
const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})$/i;

/** Longer than any real date-time. */
const MAX_LENGTH = 64;
const MINUTE_MS = 60_000;
/** The last moment that ISO 8601 writes with a four-digit year. */
export const LAST_MOMENT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const FIRST_MOMENT_MS = Date.parse('0000-01-01T00:00:00Z');

/** Reads `2024-02-29T10:30Z`; undefined for anything that is not a real UTC date and time with an upper-case Z. */
export function parseUtc(text: string): Moment | undefined {
  return read(UTC, text);
}

/** Reads an RFC 3339 date-time with any offset; undefined when its date or time does not exist. */
export function parseMoment(text: string): Moment | undefined {
  return read(RFC_3339, text);
}

/** The same to the millisecond. */
export function parseRfc3339(text: string): Date | undefined {
  const moment = parseMoment(text);
  return moment && new Date(moment.floorMs);
}

function read(grammar: RegExp, text: string): Moment | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone = 'Z'] = match;
  if (!isDay(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offsetMs = offsetOf(zone);
  if (offsetMs === undefined) return undefined;
  const wholeMs = utcMs(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
  const floorMs = wholeMs + Number(fraction.slice(0, 3).padEnd(3, '0')) - offsetMs;
  if (floorMs < FIRST_MOMENT_MS || floorMs > LAST_MOMENT_MS) return undefined;
  const beyond = fraction.slice(3).replace(/0+$/, '');
  return { floorMs, ceilMs: beyond === '' ? floorMs : floorMs + 1, beyond };
}

/** The Gregorian calendar repeats after 400 years. */
const CYCLE_YEARS = 400;
const CYCLE_MS = 146_097 * 86_400_000;

/** Date.UTC maps a year below 100 to the 1900s, so the year is shifted by one cycle of the calendar. */
function utcMs(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  return Date.UTC(year + CYCLE_YEARS, month - 1, day, hour, minute, second) - CYCLE_MS;
}

export function isLater(a: Moment, b: Moment): boolean {
  return a.floorMs > b.floorMs || (a.floorMs === b.floorMs && a.beyond > b.beyond);
}

function offsetOf(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** An ISO 8601 duration: `P3D`, `P1M`, `PT2H30M`. Adding months or years keeps the day of the month where it exists. */
export type Duration = { readonly months: number; readonly ms: number };

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/;

export function parseDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text);
  if (!match) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1).map(part => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const totalMinutes = ((weeks * 7 + days) * 24 + hours) * 60 + minutes;
  return { months: years * 12 + months, ms: (totalMinutes * 60 + seconds) * 1000 };
}

/** Undefined when the result has a year of more than four digits. */
export function addDuration(at: Date, { months, ms }: Duration): Date | undefined {
  const moved = new Date(at);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  moved.setUTCDate(Math.min(at.getUTCDate(), daysIn(moved.getUTCFullYear(), moved.getUTCMonth() + 1)));
  const target = moved.getTime() + ms;
  return target <= LAST_MOMENT_MS ? new Date(target) : undefined;
}

/** The moment a duration before another: months and years keep the day of the month where it exists. */
export function subtractDuration(at: Date, { months, ms }: Duration): Date {
  // Only a year of more than four digits has no result, and this one is earlier.
  return addDuration(at, { months: -months, ms: -ms }) ?? at;
}
