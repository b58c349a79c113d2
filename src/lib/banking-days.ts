// Banking days of Brazil: every weekday that is neither a national holiday nor one of the bank holidays of Resolução CMN
// 4.880 (Carnival Monday and Tuesday, Corpus Christi). Half days, 24 and 31 December and Ash Wednesday among them, count.
import { createRequire } from 'node:module';
import type Holidays from 'date-holidays';
import { addDays, type CivilDay } from './civil-days.ts';
import { remembered } from './remembered.ts';

/** Days on which an operator knows better than the calendar: true is a banking day, false is none. */
export type BankingDayOverrides = ReadonlyMap<CivilDay, boolean>;

/** The calendar's own longest pause is four days; only overrides could make one that never ends. */
const MAX_PAUSE_DAYS = 366;
/** Some forty years: a longer wait is a mistake in the caller. */
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
  return overrides ? soughtBankingDay(day, overrides) : calendarBankingDay(day);
}

const calendarBankingDay = remembered((day: CivilDay) => soughtBankingDay(day));

function soughtBankingDay(day: CivilDay, overrides?: BankingDayOverrides): CivilDay {
  let candidate = day;
  for (let pause = 0; pause <= MAX_PAUSE_DAYS; pause++) {
    if (isBankingDay(candidate, overrides)) return candidate;
    candidate = addDays(candidate, 1);
  }
  throw new RangeError(`there is no banking day within ${MAX_PAUSE_DAYS} days`);
}

/**
 * The banking day that comes `count` banking days after a day. One that is no banking day counts as the next that is, so
 * zero days after a Saturday is Monday and one day after it is Tuesday. Refuses to count backwards.
 */
export function addBankingDays(day: CivilDay, count: number, overrides?: BankingDayOverrides): CivilDay {
  if (!Number.isInteger(count) || count < 0 || count > MAX_BANKING_DAYS) {
    throw new RangeError(`banking days are counted from 0 to ${MAX_BANKING_DAYS}`);
  }
  let result = nextBankingDay(day, overrides);
  for (let counted = 0; counted < count; counted++) result = nextBankingDay(addDays(result, 1), overrides);
  return result;
}

// A year takes some 5 ms to work out and never changes. At most ten thousand can be named, with some fifteen days each.
const years = new Map<number, ReadonlySet<CivilDay>>();

function holidaysOf(year: number): ReadonlySet<CivilDay> {
  const known = years.get(year);
  if (known) return known;
  // The package takes a year below 100 for one of the last century; its days then match none of ours.
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
 * Loads the calendars of the whole world, some 100 ms, so only when the first day is asked for. Naming no state leaves the
 * holidays of the nation; the two types leave out observances and half days.
 */
function loadCalendar(): Holidays {
  if (!calendar) {
    const Calendar = createRequire(import.meta.url)('date-holidays') as typeof Holidays;
    calendar = new Calendar('BR', { types: ['public', 'bank'], timezone: 'America/Sao_Paulo' });
  }
  return calendar;
}
