// The days on which banks in Brazil settle: weekdays that are no national holiday, nor Carnival Monday and Tuesday, nor Corpus Christi.
import { addDays, type CivilDay } from './days.ts';

/** MM-DD of the holidays that have a date. */
const FIXED = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25'];
/** «Dia da Consciência Negra», a national holiday since this year. */
const CONSCIENCE = { day: '11-20', since: 2024 };
/** Days after Easter Sunday: Carnival Monday and Tuesday, Good Friday, Corpus Christi. */
const MOVABLE = [-48, -47, -2, 60];

export function isBankingDay(day: CivilDay): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday % 6 !== 0 && !isHoliday(day);
}

/** The day itself if banks settle on it, else the next one on which they do. */
export function nextBankingDay(day: CivilDay): CivilDay {
  let next = day;
  while (!isBankingDay(next)) next = addDays(next, 1);
  return next;
}

function isHoliday(day: CivilDay): boolean {
  const [year, date] = [Number(day.slice(0, 4)), day.slice(5)];
  if (FIXED.includes(date) || (date === CONSCIENCE.day && year >= CONSCIENCE.since)) return true;
  const easter = easterOf(year);
  return MOVABLE.some(days => addDays(easter, days) === day);
}

/** By the «anonymous Gregorian» algorithm of 1876, whose letters these are. */
function easterOf(year: number): CivilDay {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(Math.floor(sum / 31))}-${two((sum % 31) + 1)}`;
}
