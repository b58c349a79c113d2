// A rule: on which occasion a payer is reminded, and by which channels. Pure.
import { addDays, type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Locale } from '../customers/customer.ts';
import { type LocalTime, momentAt } from './local-time.ts';

/** Days before the due day, on it, days after it; the charge was paid; it could not be issued or collected. */
export const OCCASIONS = ['before', 'on', 'after', 'paid', 'failed'] as const;
export type Occasion = (typeof OCCASIONS)[number];

/** `email`: a mail to the payer. `event`: `reminder.due`, for other channels. */
export const CHANNELS = ['email', 'event'] as const;
export type Channel = (typeof CHANNELS)[number];

export const MAX_DAYS = 90;
export const MAX_RULES = 20;

export type Rule = {
  readonly id: string;
  readonly accountId: string;
  readonly occasion: Occasion;
  /** Before or after the due day; 0 for other occasions. */
  readonly days: number;
  readonly channels: readonly Channel[];
  /** Absent: the language of the customer. */
  readonly locale?: Locale;
  readonly isEnabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** How far a rule has come; empty while it is disabled. */
export type Progress = {
  /** Charges due up to this day have their reminder. */
  readonly doneUntil?: CivilDay;
  /** Of the day after: the last charge that has its reminder, when more are due that day than a batch takes. */
  readonly doneDueAt?: Date;
  readonly doneChargeId?: string;
  readonly nextAt?: Date;
  /** The last event of the feed that was looked at. */
  readonly feedPosition?: bigint;
};

type When = Pick<Rule, 'occasion' | 'days'>;

/** Whether events cause its reminders; a due day causes the others. */
export function followsEvents({ occasion }: Pick<Rule, 'occasion'>): boolean {
  return occasion === 'paid' || occasion === 'failed';
}

/** The moment of the reminder of a charge that is due on this day. */
export function momentFor(when: When, sendAt: LocalTime, dueDay: CivilDay): Date {
  return momentAt(addDays(dueDay, daysAfterDue(when)), sendAt);
}

/** The last due day whose moment has come. */
function lastDueDay(when: When, sendAt: LocalTime, now: Date): CivilDay {
  const today = civilDay(now);
  const last = momentAt(today, sendAt) <= now ? today : addDays(today, -1);
  return addDays(last, -daysAfterDue(when));
}

function daysAfterDue({ occasion, days }: When): number {
  return occasion === 'before' ? -days : days;
}

/** A rule begins with what happens from now on: nothing is sent for moments that have passed. */
export function startOf(rule: Rule, sendAt: LocalTime, now: Date, feedPosition: bigint): Progress {
  if (!rule.isEnabled) return {};
  if (followsEvents(rule)) return { feedPosition };
  return lookedAt(rule, sendAt, lastDueDay(rule, sendAt, now));
}

/** The progress of a rule that has looked at every charge due up to a day. */
export function lookedAt(when: When, sendAt: LocalTime, doneUntil: CivilDay): Progress {
  return { doneUntil, nextAt: momentFor(when, sendAt, addDays(doneUntil, 1)) };
}
