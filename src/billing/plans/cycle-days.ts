// The days of a plan: one for each cycle, by the calendar. Pure.
import { addDays, type CivilDay, daysBetween } from '../../lib/civil-days.ts';

export const INTERVALS = ['weekly', 'biweekly', 'monthly', 'quarterly', 'semiannual', 'yearly'] as const;
export type Interval = (typeof INTERVALS)[number];

const LENGTHS = {
  weekly: { days: 7 },
  biweekly: { days: 14 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  semiannual: { months: 6 },
  yearly: { months: 12 },
} as const satisfies Record<Interval, { readonly days: number } | { readonly months: number }>;

/** Monday is 1 and Sunday 7. */
export const LAST_WEEKDAY = 7;
export const LAST_DAY_OF_MONTH = 31;

/** An interval of weeks has a day of the week; one of months has a day of the month, and 31 is the last day of any. */
export function isOfWeeks(interval: Interval): boolean {
  return 'days' in LENGTHS[interval];
}

/** The first day on or after another that is this day of the week or of the month. */
export function firstDay(interval: Interval, day: number, from: CivilDay): CivilDay {
  if (isOfWeeks(interval)) return addDays(from, (day - weekdayOf(from) + LAST_WEEKDAY) % LAST_WEEKDAY);
  const inSameMonth = dayInMonth(monthOf(from), day);
  return inSameMonth < from ? dayInMonth(monthOf(from) + 1, day) : inSameMonth;
}

/**
 * The day of the cycle after the one of `current`. The day of the month is counted from the plan and never from `current`, so a short
 * February does not move the months after it.
 */
export function dayAfter(interval: Interval, day: number, current: CivilDay): CivilDay {
  const length = LENGTHS[interval];
  return 'days' in length ? addDays(current, length.days) : dayInMonth(monthOf(current) + length.months, day);
}

/** The first day on or after another that belongs to the same series as `current`. */
export function dayFrom(interval: Interval, day: number, current: CivilDay, from: CivilDay): CivilDay {
  let next = current;
  while (next < from) next = dayAfter(interval, day, next);
  return next;
}

/** The start of the week or the month of a day. */
export function startOf(interval: Interval, day: CivilDay): CivilDay {
  return isOfWeeks(interval) ? addDays(day, 1 - weekdayOf(day)) : dayInMonth(monthOf(day), 1);
}

/** What the series of a day goes by: its day of the week or of the month. */
export function dayNumberOf(interval: Interval, day: CivilDay): number {
  return isOfWeeks(interval) ? weekdayOf(day) : Number(day.slice(-2));
}

const A_MONDAY = '1970-01-05';

function weekdayOf(day: CivilDay): number {
  const since = daysBetween(A_MONDAY, day) % LAST_WEEKDAY;
  return (since < 0 ? since + LAST_WEEKDAY : since) + 1;
}

const LAST_DAY = '9999-12-31';
const LAST_MONTH = monthOf(LAST_DAY);

/** Months since the year 0. */
function monthOf(day: CivilDay): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** Never after the last day that has a name. */
function dayInMonth(month: number, day: number): CivilDay {
  if (month >= LAST_MONTH) return month === LAST_MONTH ? addDays(firstOf(month), day - 1) : LAST_DAY;
  const wanted = addDays(firstOf(month), day - 1);
  const last = addDays(firstOf(month + 1), -1);
  return wanted < last ? wanted : last;
}

function firstOf(month: number): CivilDay {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}-01`;
}
