// Civil days: `YYYY-MM-DD` in America/Sao_Paulo, from the time zone database and never from a fixed offset.
import { memoize } from './memoize.ts';

export type CivilDay = string;

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

// Intl counts the years before year 1 backwards, and writes early years without leading zeros.
const FIRST_NAMED_MS = Date.parse('0001-01-01T12:00:00Z');

// Since 1914 the offset has been whole hours, so a day never begins within an hour. The result is cached by the hour,
// because Intl is slow and most calls are about the same few hours.
const WHOLE_HOURS_SINCE_MS = Date.parse('1914-01-02T00:00:00Z');
const dayOfHour = memoize((hour: number) => localDay(hour * HOUR_MS));

/** The local day in São Paulo at that time; before year 1 it is the first day of year 1. */
export function civilDay(at: Date): CivilDay {
  const ms = at.getTime();
  return ms >= WHOLE_HOURS_SINCE_MS ? dayOfHour(Math.floor(ms / HOUR_MS)) : localDay(ms);
}

function localDay(ms: number): CivilDay {
  return saoPaulo.format(Math.max(ms, FIRST_NAMED_MS)).padStart('YYYY-MM-DD'.length, '0');
}

/** The number of a day since 1970, for arithmetic. Cached, because most calls are about the same few days. */
const numberOf = memoize((day: CivilDay) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS));

/** Whole days from one civil day to another; negative when `to` is earlier. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return numberOf(to) - numberOf(from);
}

const FIRST_NUMBER = numberOf('0000-01-01');
const LAST_NUMBER = numberOf('9999-12-31');
const dayOfNumber = memoize((number: number) => new Date(number * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length));

/** The day that is `days` later, or earlier when negative. The result is limited to the years 0000 to 9999. */
export function addDays(day: CivilDay, days: number): CivilDay {
  return dayOfNumber(Math.min(Math.max(numberOf(day) + days, FIRST_NUMBER), LAST_NUMBER));
}

const LAST_DAY = '9999-12-31';

/**
 * The same day of the month that is `months` later; where that month has no such day, its last one. For every month after a day, count from
 * that first day: counted from the month before, the 31st would stay the 28th after February. The result is limited to the year 9999.
 *
 * @example
 * addMonths('2027-01-31', 1); // '2027-02-28'
 * addMonths('2027-01-31', 2); // '2027-03-31'
 */
export function addMonths(day: CivilDay, months: number): CivilDay {
  const [year, month, dayOfMonth] = day.split('-').map(Number) as [number, number, number];
  const count = year * 12 + (month - 1) + months;
  const first = `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}-01`;
  if (first > LAST_DAY || first.length > LAST_DAY.length) return LAST_DAY;
  const next = new Date(`${first}T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1, 0);
  return addDays(first, Math.min(dayOfMonth, next.getUTCDate()) - 1);
}

const saoPauloTime = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Sao_Paulo',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** The time at which the local time in São Paulo is this day and hour. */
export function momentOn(day: CivilDay, hour = 0): Date {
  return new Date(fromLocalTime(Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS));
}

/** The last second of a day. */
export function lastSecondOf(day: CivilDay): Date {
  return new Date(momentOn(addDays(day, 1)).getTime() - 1_000);
}

/** Converts local time in São Paulo, given as if it were UTC, to milliseconds since 1970. */
const fromLocalTime = memoize((asUtcMs: number): number => {
  // Use the offset three hours later; if the offset changes at midnight, the day begins with the change.
  const near = new Date(asUtcMs + 3 * HOUR_MS);
  const part = Object.fromEntries(saoPauloTime.formatToParts(near).map(({ type, value }) => [type, Number(value)]));
  const shownMs = Date.UTC(
    part['year']!,
    part['month']! - 1,
    part['day'],
    part['hour'],
    part['minute'],
    part['second'],
  );
  return asUtcMs + (near.getTime() - shownMs);
});
