// A reminder: one message about one charge, for one reason. Pure.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Locale } from '../customers/customer.ts';
import type { Channel, Occasion } from './rule.ts';

export const REMINDER_STATUSES = ['WAITING', 'SENDING', 'SENT', 'ANNOUNCED', 'SKIPPED', 'FAILED', 'UNKNOWN'] as const;
export type ReminderStatus = (typeof REMINDER_STATUSES)[number];

/** Whether it is not sent any more. */
export function hasEnded(status: ReminderStatus): boolean {
  return status !== 'WAITING' && status !== 'SENDING';
}

type Arrow = { readonly to: ReminderStatus; readonly when: string };

/** Drawn in docs/states.md. */
export const REMINDER_TRANSITIONS: Readonly<Record<ReminderStatus, readonly Arrow[]>> = {
  WAITING: [
    { to: 'SENDING', when: 'its mail is about to be given to the mail server' },
    { to: 'ANNOUNCED', when: 'its only channel is the event, which was recorded' },
    { to: 'SKIPPED', when: 'it must not be sent, or cannot be' },
    { to: 'FAILED', when: 'its mail could not be made' },
  ],
  SENDING: [
    { to: 'SENT', when: 'the mail server has taken it' },
    { to: 'WAITING', when: 'the mail server refuses it for now, refuses the sender, or does not answer' },
    { to: 'FAILED', when: 'the mail server refuses it for good, or did not take it in time' },
    { to: 'UNKNOWN', when: 'the service or the connection ended while it was sent' },
    { to: 'SKIPPED', when: 'the database was restored' },
  ],
  UNKNOWN: [
    { to: 'SENT', when: 'the answer of the mail server comes late' },
    { to: 'FAILED', when: 'the refusal of the mail server comes late' },
  ],
  SENT: [],
  ANNOUNCED: [],
  SKIPPED: [],
  FAILED: [],
};

/** Why a reminder was not sent. */
export const SKIP_CAUSES = [
  'paid',
  'not_paid',
  'charge_ended',
  'due_day_changed',
  'collected',
  'rule_off',
  'opted_out',
  'no_address',
  'mail_off',
  'too_late',
  'restored',
] as const;
export type SkipCause = (typeof SKIP_CAUSES)[number];

/** Why a reminder failed before the mail server: its mail could not be made. */
export const NOT_COMPOSED = 'not_composed';

export type Reminder = {
  readonly id: string;
  readonly accountId: string;
  readonly chargeId: string;
  readonly occasion: Occasion;
  readonly days: number;
  readonly dueDay: CivilDay;
  /** What it must not be sent twice for. */
  readonly reason: string;
  readonly channels: readonly Channel[];
  readonly locale?: Locale;
  readonly status: ReminderStatus;
  /** Why it was skipped or failed: a `SkipCause`, `NOT_COMPOSED`, or what the mail server answered. */
  readonly cause?: string;
  /** How often its mail was given to the mail server. */
  readonly attempts: number;
  readonly dueAt: Date;
  readonly nextAt?: Date;
  readonly sendingSince?: Date;
  /** Of the address that it was sent to. */
  readonly addressHash?: string;
  /** What was asked for on that day. */
  readonly amountCents?: bigint;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export const REMINDER_EVENTS = ['reminder.due', 'reminder.sent', 'reminder.failed', 'reminder.unknown'] as const;
export type ReminderEvent = (typeof REMINDER_EVENTS)[number];

/** Another due day is another reason; so is another collection that failed. */
export function reasonFor(
  { occasion, days }: Pick<Reminder, 'occasion' | 'days'>,
  about: { readonly dueDay: CivilDay; readonly failedId?: string | undefined },
): string {
  if (occasion === 'paid') return occasion;
  if (occasion === 'failed') return about.failedId === undefined ? occasion : `${occasion}:${about.failedId}`;
  return days === 0 ? `${occasion}:${about.dueDay}` : `${occasion}:${days}:${about.dueDay}`;
}

/** Later than this it would be misleading. */
const SENT_WITHIN_MS = 24 * 3_600_000;

export function isTooLate({ dueAt }: Pick<Reminder, 'dueAt'>, now: Date): boolean {
  return now.getTime() - dueAt.getTime() > SENT_WITHIN_MS;
}
