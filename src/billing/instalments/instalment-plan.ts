// Instalments (carnê): one sum that is asked for in several charges, one a month. Pure.
import type { Charge, Metadata } from '../../charges/charge.ts';
import type { SharedTerms } from '../../charges/create/create.ts';
import { wasPaidUp } from '../../charges/life.ts';
import { addMonths, type CivilDay, lastSecondOf } from '../../lib/civil-days.ts';
import type { Currency } from '../../lib/currency.ts';
import type { Fault } from '../../lib/errors.ts';

/** OPEN: money is still asked for, or missing. Drawn in docs/states.md. */
export const INSTALMENT_PLAN_STATES = ['OPEN', 'COMPLETED', 'CANCELED'] as const;
export type InstalmentPlanState = (typeof INSTALMENT_PLAN_STATES)[number];

export const INSTALMENT_PLAN_TRANSITIONS = {
  OPEN: ['COMPLETED', 'CANCELED'],
  COMPLETED: [],
  CANCELED: [],
} as const satisfies Record<InstalmentPlanState, readonly InstalmentPlanState[]>;

/** How an open plan ends. */
export type PlanEnd = (typeof INSTALMENT_PLAN_TRANSITIONS)['OPEN'][number];

export const INSTALMENT_EVENTS = ['instalments.created', 'instalments.completed', 'instalments.canceled'] as const;
export type InstalmentEvent = (typeof INSTALMENT_EVENTS)[number];

export type InstalmentPlan = {
  readonly id: string;
  readonly accountId: string;
  readonly externalId?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  readonly amountCents: bigint;
  readonly currency: Currency;
  readonly instalmentCount: number;
  /** The customer on record that it was made for by its id. */
  readonly customerId?: string;
  readonly state: InstalmentPlanState;
  /** How many of its charges were paid, those that were refunded later included. */
  readonly paidCount: number;
  /** Part of the link to its page: a higher one withdraws the links before. */
  readonly linkEpoch: number;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The input of `createInstalments`. The externalId, the description and the metadata are those of the plan. */
export type NewInstalmentPlan = {
  readonly amountCents: bigint;
  readonly division: Division;
  readonly firstDueDay: CivilDay;
  /** How long after its due day each can be paid; as for any charge when absent. */
  readonly expireAfterDays?: number;
  readonly terms: SharedTerms;
};

export const MIN_INSTALMENTS = 2;
export const MAX_INSTALMENTS = 60;

/** Months of later years could run out of four digits. */
const LAST_FIRST_DUE_DAY: CivilDay = '9990-12-31';

/** How the sum is divided: into a number of equal instalments, or into given amounts. */
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

/**
 * The status of an open plan, from its charges: completed when each was paid or canceled, canceled when none was paid. One that
 * expired, failed or was paid in part keeps it open: its money is missing, also when the part went back.
 */
export function stateOf(charges: readonly Charge[]): InstalmentPlanState {
  if (!charges.every(charge => charge.state === 'CANCELED' || wasPaidUp(charge))) return 'OPEN';
  return charges.some(wasPaidUp) ? 'COMPLETED' : 'CANCELED';
}
