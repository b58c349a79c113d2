// Instalments (carnê): one sum that is asked for in several charges, one a month. Pure.
import { addMonths, type CivilDay, lastSecondOf } from '../../lib/civil-days.ts';
import type { Fault } from '../../lib/errors.ts';

export const MIN_INSTALMENTS = 2;
export const MAX_INSTALMENTS = 60;

/** Months of later years could run out of four digits. */
const LAST_FIRST_DUE_DAY: CivilDay = '9990-12-31';

/** How the sum is divided: into so many equal instalments, or into these amounts. */
export type Division = { readonly count: number } | { readonly amountsCents: readonly bigint[] };

/** An instalment before it has a charge. */
export type Part = { readonly number: number; readonly amountCents: bigint; readonly dueAt: Date };

/**
 * Equal amounts that add up to the sum: the cents that cannot be divided are in the first, as card acquirers do it, so that no later
 * instalment is more than the first.
 */
export function equalAmounts(amountCents: bigint, count: number): bigint[] {
  const each = amountCents / BigInt(count);
  const first = amountCents - each * BigInt(count - 1);
  return Array.from({ length: count }, (_, index) => (index === 0 ? first : each));
}

/** The due days: each month the day of the first one, or the last day of a month that has no such day. */
export function dueDays(firstDueDay: CivilDay, count: number): CivilDay[] {
  return Array.from({ length: count }, (_, index) => addMonths(firstDueDay, index));
}

/** The instalments, each due at the end of its day. The division has no faults. */
export function partsOf(amountCents: bigint, division: Division, firstDueDay: CivilDay): Part[] {
  const amounts = 'count' in division ? equalAmounts(amountCents, division.count) : division.amountsCents;
  const days = dueDays(firstDueDay, amounts.length);
  return amounts.map((each, index) => ({
    number: index + 1,
    amountCents: each,
    dueAt: lastSecondOf(days[index]!),
  }));
}

/** What the form of single fields cannot say: the amounts add up to the sum, and the sum is enough for each to have a cent. */
export function checkDivision(amountCents: bigint, division: Division): Fault[] {
  if ('count' in division) {
    if (amountCents >= BigInt(division.count)) return [];
    return [{ path: 'amountCents', code: 'too_small', message: `is less than a cent for each of ${division.count}` }];
  }
  const sum = division.amountsCents.reduce((total, each) => total + each, 0n);
  if (sum === amountCents) return [];
  return [{ path: 'amountsCents', code: 'other_sum', message: `add up to ${sum}, not to amountCents, ${amountCents}` }];
}

export function checkFirstDueDay(firstDueDay: CivilDay): Fault[] {
  if (firstDueDay <= LAST_FIRST_DUE_DAY) return [];
  return [{ path: 'firstDueDay', code: 'too_late', message: `must not be after ${LAST_FIRST_DUE_DAY}` }];
}

/** What tells the charges of a plan apart, behind their description: `1/12`. */
export function numbered(description: string | undefined, number: number, count: number): string {
  return [description, `${number}/${count}`].filter(part => part !== undefined).join(' ');
}
