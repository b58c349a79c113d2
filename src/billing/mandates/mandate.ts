// A mandate: the standing approval of a payer that their bank pays what an account asks for, by Pix Automático. Pure.
import { type CivilDay, DAY_MS } from '../../lib/civil-days.ts';
import type { Ending, Recurrence, RecurrencePeriod } from '../../rails/automatic.ts';
import { canReach, isFinal, type Transitions } from './transitions.ts';

/** CREATING: not known to be at the PSP in a state of the norm. FAILED: the PSP refused it. The others are those of the norm. */
export const MANDATE_STATUSES = [
  'CREATING',
  'CREATED',
  'APPROVED',
  'REJECTED',
  'EXPIRED',
  'CANCELED',
  'FAILED',
] as const;
export type MandateStatus = (typeof MANDATE_STATUSES)[number];

/** Drawn in docs/states.md. */
export const MANDATE_TRANSITIONS = {
  CREATING: [
    { to: 'CREATED', when: 'the PSP has it' },
    { to: 'FAILED', when: 'the PSP refuses it' },
    { to: 'CANCELED', when: 'it is canceled before it is sent' },
  ],
  CREATED: [
    { to: 'APPROVED', when: 'the payer approves it' },
    { to: 'REJECTED', when: 'the payer refuses it' },
    { to: 'CANCELED', when: 'the account cancels it' },
    { to: 'EXPIRED', when: 'its last day has passed', derived: true },
  ],
  APPROVED: [
    { to: 'CANCELED', when: 'the account, the payer or a bank cancels it' },
    { to: 'EXPIRED', when: 'its last day has passed', derived: true },
  ],
  REJECTED: [],
  EXPIRED: [],
  CANCELED: [],
  FAILED: [],
} as const satisfies Transitions<MandateStatus>;

export const JOURNEYS = [1, 2, 3, 4] as const;
export type Journey = (typeof JOURNEYS)[number];

/** The account of the payer at their bank, which journey 1 asks; removed once the payer was asked. */
export type PayerAccount = { readonly ispb: string; readonly branch?: string; readonly account: string };

export type Mandate = {
  readonly id: string;
  readonly accountId: string;
  readonly customerId: string;
  readonly externalId?: string;
  readonly rail: string;
  /** The way in which the payer is asked, and the one in which they approved. */
  readonly journey: Journey;
  readonly approvedBy?: Journey;
  readonly contract: string;
  readonly description?: string;
  readonly period: RecurrencePeriod;
  readonly firstDay: CivilDay;
  readonly lastDay?: CivilDay;
  readonly amountCents?: bigint;
  readonly minimumCents?: bigint;
  readonly allowsRetries: boolean;
  /** The charge that the payer pays with the code, in journeys 3 and 4. */
  readonly chargeId?: string;
  readonly status: MandateStatus;
  /** The state in the words of the PSP, which the norm may not know. */
  readonly pspStatus?: string;
  readonly recurrenceId?: string;
  readonly emv?: string;
  readonly ending?: Ending;
  /** Why it failed or was given up, where the PSP's ending does not say it. */
  readonly reason?: string;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly cancelAskedAt?: Date;
  /** Why the PSP refuses to cancel it, while it does. */
  readonly cancelRefusal?: string;
};

export const MANDATE_EVENTS = [
  'mandate.created',
  'mandate.approved',
  'mandate.rejected',
  'mandate.expired',
  'mandate.canceled',
  'mandate.failed',
] as const;
export type MandateEvent = (typeof MANDATE_EVENTS)[number];

const EVENT_OF: Readonly<Record<Exclude<MandateStatus, 'CREATING'>, MandateEvent>> = {
  CREATED: 'mandate.created',
  APPROVED: 'mandate.approved',
  REJECTED: 'mandate.rejected',
  EXPIRED: 'mandate.expired',
  CANCELED: 'mandate.canceled',
  FAILED: 'mandate.failed',
};

export function eventOf(status: Exclude<MandateStatus, 'CREATING'>): MandateEvent {
  return EVENT_OF[status];
}

export function hasEnded({ status }: Pick<Mandate, 'status'>): boolean {
  return isFinal<MandateStatus>(MANDATE_TRANSITIONS, status);
}

/**
 * The mandate as the PSP shows it; the same object when that says nothing new. An answer that is older than what is known, as from a
 * cache, changes nothing, nor does that of another recurrence; a state that the norm does not know is kept beside the last known one.
 */
export function seen(before: Mandate, recurrence: Recurrence, at: Date): Mandate {
  const { id: recurrenceId, status, pspStatus, journey, emv, ending } = recurrence;
  if (before.recurrenceId !== undefined && before.recurrenceId !== recurrenceId) return before;
  const isNext = status !== undefined && canReach<MandateStatus>(MANDATE_TRANSITIONS, before.status, status);
  if (!isNext && status !== undefined && status !== before.status) return before;
  const { cancelRefusal, ...rest } = before;
  const isNowOver = isNext && hasEnded({ status });
  const after: Mandate = {
    ...rest,
    ...(cancelRefusal !== undefined && !isNowOver && { cancelRefusal }),
    recurrenceId,
    pspStatus,
    ...(isNext && { status }),
    ...(journey !== undefined && { approvedBy: journey }),
    ...(emv !== undefined && { emv }),
    ...(ending && { ending }),
    updatedAt: at,
  };
  return differs(before, after) ? after : before;
}

const SHOWN = ['recurrenceId', 'status', 'pspStatus', 'approvedBy', 'emv'] as const satisfies (keyof Mandate)[];

function differs(before: Mandate, after: Mandate): boolean {
  return SHOWN.some(field => before[field] !== after[field]) || (after.ending !== undefined && !before.ending);
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When the PSP is asked next, in case notifications are lost; undefined once the mandate has ended. */
export function nextLookAt(mandate: Mandate, at: Date): Date | undefined {
  if (hasEnded(mandate)) return undefined;
  return new Date(at.getTime() + waitMs(mandate, at));
}

function waitMs({ status, recurrenceId, cancelAskedAt, createdAt }: Mandate, at: Date): number {
  if (recurrenceId === undefined) return MINUTE_MS;
  if (cancelAskedAt) return waitToCancelMs(at.getTime() - cancelAskedAt.getTime());
  if (status === 'APPROVED') return DAY_MS;
  const ageMs = at.getTime() - createdAt.getTime();
  if (ageMs < HOUR_MS) return 5 * MINUTE_MS;
  return ageMs < 2 * DAY_MS ? HOUR_MS : 6 * HOUR_MS;
}

/** A PSP that refuses it, or does not answer, is asked ever less often. */
function waitToCancelMs(ageMs: number): number {
  if (ageMs < 10 * MINUTE_MS) return MINUTE_MS;
  return ageMs < DAY_MS ? HOUR_MS : DAY_MS;
}
