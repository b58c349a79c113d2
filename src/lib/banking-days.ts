// Banking days of Brazil: every weekday that is neither a national holiday nor one of the bank holidays of Resolução CMN
// 4.880 (Carnival Monday and Tuesday, Corpus Christi). Half days, such as 24 and 31 December and Ash Wednesday, count as
// banking days.
import { addDays, type CivilDay, daysBetween } from './civil-days.ts';
import { memoize } from './memoize.ts';

/** Days for which an operator overrides the calendar: true is a banking day, false is not. */
export type BankingDayOverrides = ReadonlyMap<CivilDay, boolean>;

/** A limit for the search: the longest pause in the calendar is four days, but overrides could make an endless one. */
const MAX_PAUSE_DAYS = 366;
/** About forty years: a larger number is a bug of the caller. */
const MAX_BANKING_DAYS = 10_000;
/** More than ten years: each day is a step. */
const MAX_WALKED_DAYS = 3_700;

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

/** How many banking days come after a day, up to and with another. Refuses days too far apart to be meant. */
export function bankingDaysBetween(from: CivilDay, to: CivilDay, overrides?: BankingDayOverrides): number {
  if (daysBetween(from, to) > MAX_WALKED_DAYS) {
    throw new RangeError(`banking days are counted over ${MAX_WALKED_DAYS} days at most`);
  }
  let count = 0;
  for (let day = addDays(from, 1); day <= to; day = addDays(day, 1)) if (isBankingDay(day, overrides)) count++;
  return count;
}

/** National holidays: Leis 662/1949 and 6.802/1980. */
const FIXED_HOLIDAYS = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25'];
/** 20 November is one by Lei 14.759/2023. */
const NEW_HOLIDAY = { day: '11-20', firstYear: 2024 };
/** Days from Easter Sunday: Carnival Monday and Tuesday, Good Friday, Corpus Christi. */
const FROM_EASTER = [-48, -47, -2, 60];

const holidaysOf = memoize((year: number): ReadonlySet<CivilDay> => {
  const fixed = year < NEW_HOLIDAY.firstYear ? FIXED_HOLIDAYS : [...FIXED_HOLIDAYS, NEW_HOLIDAY.day];
  const easter = easterOf(year);
  return new Set([
    ...fixed.map(day => `${String(year).padStart(4, '0')}-${day}`),
    ...FROM_EASTER.map(days => addDays(easter, days)),
  ]);
});

/**
 * Easter Sunday of a year, by the rule of the Gregorian calendar: the first Sunday after the first ecclesiastical full moon
 * on or after 21 March.
 */
function easterOf(year: number): CivilDay {
  const century = Math.floor(year / 100);
  const skippedLeapDays = century - Math.floor(century / 4);
  const moonCorrection = Math.floor((8 * century + 13) / 25);
  const days = (19 * (year % 19) + skippedLeapDays - moonCorrection + 15) % 30;
  // The church has its full moon on 18 April at the latest.
  const daysToFullMoon = days === 29 || (days === 28 && year % 19 > 10) ? days - 1 : days;
  const fullMoon = addDays(`${String(year).padStart(4, '0')}-03-21`, daysToFullMoon);
  const weekday = new Date(`${fullMoon}T00:00:00Z`).getUTCDay();
  return addDays(fullMoon, 7 - weekday);
}
