// Banking days of Brazil: every weekday that is neither a national holiday nor one of the bank holidays of Resolução CMN
// 4.880 (Carnival Monday and Tuesday, Corpus Christi). Half days, such as 24 and 31 December and Ash Wednesday, count as
// banking days.
import { createRequire } from 'node:module';
import type Holidays from 'date-holidays';
import { addDays, type CivilDay } from './civil-days.ts';
import { memoize } from './memoize.ts';

/** Days for which an operator overrides the calendar: true is a banking day, false is none. */
export type BankingDayOverrides = ReadonlyMap<CivilDay, boolean>;

/** A limit for the search: the longest pause in the calendar is four days, but overrides could make an endless one. */
const MAX_PAUSE_DAYS = 366;
/** About forty years: a larger number is a bug of the caller. */
const MAX_BANKING_DAYS = 10_000;

/** Whether banks settle on that day. Refuses text that is no day. */
export function isBankingDay(day: CivilDay, overrides?: BankingDayOverrides): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  if (Number.isNaN(weekday)) throw new RangeError('a civil day is YYYY-MM-DD');
  const override = overrides?.get(day);
  if (override !== undefined) return override;
  return weekday !== 0 && weekday !== 6 && !holidaysOf(Number(day.slice(0, 4))).has(day);
}

/** The first banking day on or after a day. */
export function nextBankingDay(day: CivilDay, overrides?: BankingDayOverrides): CivilDay {
  return overrides ? findBankingDay(day, overrides) : calendarBankingDay(day);
}

const calendarBankingDay = memoize((day: CivilDay) => findBankingDay(day));

function findBankingDay(day: CivilDay, overrides?: BankingDayOverrides): CivilDay {
  let candidate = day;
  for (let pause = 0; pause <= MAX_PAUSE_DAYS; pause++) {
    if (isBankingDay(candidate, overrides)) return candidate;
    candidate = addDays(candidate, 1);
  }
  throw new RangeError(`there is no banking day within ${MAX_PAUSE_DAYS} days`);
}

/**
 * The banking day that comes `count` banking days after a day. A day that is no banking day counts as the next banking day:
 * zero days after a Saturday is Monday, and one day after it is Tuesday. Refuses to count backwards.
 */
export function addBankingDays(day: CivilDay, count: number, overrides?: BankingDayOverrides): CivilDay {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BANKING_DAYS) {
    throw new RangeError(`banking days are counted from 0 to ${MAX_BANKING_DAYS}`);
  }
  let result = nextBankingDay(day, overrides);
  for (let counted = 0; counted < count; counted++) result = nextBankingDay(addDays(result, 1), overrides);
  return result;
}

// A year takes about 5 ms to compute and never changes. There are at most ten thousand years, with about fifteen days each.
const years = new Map<number, ReadonlySet<CivilDay>>();

function holidaysOf(year: number): ReadonlySet<CivilDay> {
  const known = years.get(year);
  if (known) return known;
  // The package maps a year below 100 to the 1900s; its days then match no day of the requested year.
  const days = new Set(
    loadCalendar()
      .getHolidays(year)
      .map(({ date }) => date.slice(0, 'YYYY-MM-DD'.length)),
  );
  years.set(year, days);
  return days;
}

let calendar: Holidays | undefined;

/**
 * Loading takes about 100 ms, because the package contains the calendars of the whole world; so it happens at the first
 * use. Without a state only national holidays count; the two types exclude observances and half days.
 */
function loadCalendar(): Holidays {
  if (!calendar) {
    const Calendar = createRequire(import.meta.url)('date-holidays') as typeof Holidays;
    calendar = new Calendar('BR', { types: ['public', 'bank'], timezone: 'America/Sao_Paulo' });
  }
  return calendar;
}
