// Days of Pix Automático: cycles, the days on which a charge is accepted and settled, and the hours of the payer's bank.
import { isBankingDay } from '../banking-days.ts';
import { addDays, type CivilDay, daysBetween } from '../days.ts';
import type { RecTerms } from './answers.ts';
import type { AutomaticRules } from './rules.ts';
import type { Periodicity } from './states.ts';

const WEEK_DAYS = 7;
const MONTHS: Readonly<Record<Exclude<Periodicity, 'SEMANAL'>, number>> = {
  MENSAL: 1,
  TRIMESTRAL: 3,
  SEMESTRAL: 6,
  ANUAL: 12,
};

/** The cycle in which a day is, from 0; negative before the first one. */
export function cycleOf({ dataInicial, periodicidade }: RecTerms['calendario'], day: CivilDay): number {
  if (periodicidade === 'SEMANAL') return Math.floor(daysBetween(dataInicial, day) / WEEK_DAYS);
  const [fromYear, fromMonth] = yearAndMonth(dataInicial);
  const [year, month] = yearAndMonth(day);
  const months = (year - fromYear) * 12 + month - fromMonth;
  const isBeforeItsDay = day < addMonths(dataInicial, months);
  return Math.floor((months - (isBeforeItsDay ? 1 : 0)) / MONTHS[periodicidade]);
}

/** The first day of a cycle. One that its month does not have becomes the last of the month (derived: the norm is silent). */
export function startOfCycle({ dataInicial, periodicidade }: RecTerms['calendario'], cycle: number): CivilDay {
  if (periodicidade === 'SEMANAL') return addDays(dataInicial, cycle * WEEK_DAYS);
  return addMonths(dataInicial, cycle * MONTHS[periodicidade]);
}

const RETRY_DAYS = 7;

/** The last day for which a retry may be asked: a week after the due day, and before the next cycle. */
export function lastRetryDay(calendar: RecTerms['calendario'], due: CivilDay): CivilDay {
  const week = addDays(due, RETRY_DAYS);
  const next = addDays(startOfCycle(calendar, cycleOf(calendar, due) + 1), -1);
  return next < week ? next : week;
}

/** The day itself when it is a banking day of the municipality, else the next one. */
export function settlementDay(rules: AutomaticRules, due: CivilDay, codMun: string | undefined): CivilDay {
  const local = rules.localHolidays[codMun ?? ''] ?? [];
  let day = due;
  while (!isBankingDay(day) || local.includes(day)) day = addDays(day, 1);
  return day;
}

/** A limit of this simulator, beyond any window. */
const MAX_COUNTED = 366;

/** How many days before `due` it is, as the rules count them. */
export function daysAhead({ countedIn }: AutomaticRules, today: CivilDay, due: CivilDay): number {
  const days = daysBetween(today, due);
  if (countedIn === 'calendar' || days <= 0 || days > MAX_COUNTED) return days;
  let count = 0;
  for (let day = addDays(today, 1); day <= due; day = addDays(day, 1)) if (isBankingDay(day)) count++;
  return count;
}

const HOUR_MS = 3_600_000;

/** A moment of a day in Brasília, which has had no summer time since 2019. */
export function momentOf(day: CivilDay, hour: number): Date {
  return new Date(Date.parse(`${day}T00:00:00-03:00`) + Math.round(hour * HOUR_MS));
}

/** When the payer's bank tries: from and to which hour. */
export const NIGHT_HOURS = [0, 8] as const;
export const EVENING_HOURS = [18, 21] as const;

function yearAndMonth(day: CivilDay): [number, number] {
  return [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
}

function addMonths(day: CivilDay, months: number): CivilDay {
  const [year, month] = yearAndMonth(day);
  const at = year * 12 + month - 1 + months;
  const [toYear, toMonth] = [Math.floor(at / 12), (at % 12) + 1];
  const lastDay = new Date(Date.UTC(toYear, toMonth, 0)).getUTCDate();
  const two = (number: number) => String(number).padStart(2, '0');
  return `${String(toYear).padStart(4, '0')}-${two(toMonth)}-${two(Math.min(Number(day.slice(8)), lastDay))}`;
}
