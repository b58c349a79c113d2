// A collection: one charge that the bank of the payer pays by a mandate. Pure.
import { addDays, addMonths, type CivilDay, civilDay, DAY_MS, daysBetween, momentOn } from '../../lib/civil-days.ts';
import type { Attempt, AutomaticCalls, Collection as CollectionAtPsp, Ending } from '../../rails/automatic.ts';
import type { Mandate } from './mandate.ts';
import { canReach, isFinal, type Transitions } from './transitions.ts';

/** WAITING: not known to be at the PSP. FAILED: the PSP refused it. The others are those of the norm. */
export const COLLECTION_STATES = [
  'WAITING',
  'CREATED',
  'ACTIVE',
  'COMPLETED',
  'EXPIRED',
  'REJECTED',
  'CANCELED',
  'FAILED',
] as const;
export type CollectionState = (typeof COLLECTION_STATES)[number];

/** Drawn in docs/states.md. */
export const COLLECTION_TRANSITIONS = {
  WAITING: [
    { to: 'CREATED', when: 'the PSP has it' },
    { to: 'FAILED', when: 'the PSP refuses it' },
    { to: 'CANCELED', when: 'it is canceled before it is sent' },
  ],
  CREATED: [
    { to: 'ACTIVE', when: 'its first attempt goes to the payer’s bank' },
    { to: 'CANCELED', when: 'the account cancels it, or its mandate ends' },
  ],
  ACTIVE: [
    { to: 'COMPLETED', when: 'an attempt is paid', derived: true },
    { to: 'REJECTED', when: 'the payer’s bank refuses it for good' },
    { to: 'CANCELED', when: 'the account or the payer cancels it, or its mandate ends' },
    { to: 'EXPIRED', when: 'no attempt may follow', derived: true },
  ],
  COMPLETED: [],
  EXPIRED: [],
  REJECTED: [],
  CANCELED: [],
  FAILED: [],
} as const satisfies Transitions<CollectionState>;

export type Collection = {
  readonly id: string;
  readonly accountId: string;
  readonly mandateId: string;
  readonly chargeId: string;
  readonly amountCents: bigint;
  readonly dueDay: CivilDay;
  readonly status: CollectionState;
  readonly pspStatus?: string;
  readonly attempts: readonly Attempt[];
  readonly ending?: Ending;
  /** Why it failed or was given up, where the PSP's ending does not say it. */
  readonly reason?: string;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it was last sent: without an answer the PSP is asked before it is sent again. */
  readonly sentAt?: Date;
  readonly cancelAskedAt?: Date;
  /** Why the PSP refuses to cancel it, while it does. */
  readonly cancelRefusal?: string;
};

/** How the PSP knows it. */
export function referenceOf({ id }: Pick<Collection, 'id'>): string {
  return id.replaceAll('-', '');
}

/** The id of the collection that this service may have sent with this txid. */
export function idOfReference(reference: string): string | undefined {
  const [, ...parts] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(reference.toLowerCase()) ?? [];
  return parts.length === 0 ? undefined : parts.join('-');
}

export const COLLECTION_EVENTS = [
  'mandate.collection_created',
  'mandate.collection_retried',
  'mandate.collection_completed',
  'mandate.collection_failed',
  'mandate.collection_canceled',
] as const;
export type CollectionEvent = (typeof COLLECTION_EVENTS)[number];

const EVENT_OF: Readonly<Partial<Record<CollectionState, CollectionEvent>>> = {
  COMPLETED: 'mandate.collection_completed',
  EXPIRED: 'mandate.collection_failed',
  REJECTED: 'mandate.collection_failed',
  FAILED: 'mandate.collection_failed',
  CANCELED: 'mandate.collection_canceled',
};

/** The type of the event of a change, if it has one. */
export function collectionEventOf(before: Collection, after: Collection): CollectionEvent | undefined {
  if (after.status !== before.status) return EVENT_OF[after.status];
  return retriesOf(after) > retriesOf(before) ? 'mandate.collection_retried' : undefined;
}

function retriesOf({ attempts }: Pick<Collection, 'attempts'>): number {
  return attempts.filter(({ kind }) => kind === 'RETRY').length;
}

export function isOver({ status }: Pick<Collection, 'status'>): boolean {
  return isFinal<CollectionState>(COLLECTION_TRANSITIONS, status);
}

/** The collection as the PSP shows it; the same object when that says nothing new, as from an older answer. */
export function seenCollection(before: Collection, shown: CollectionAtPsp, at: Date): Collection {
  const { status, pspStatus, attempts, ending } = shown;
  const isNext = status !== undefined && canReach<CollectionState>(COLLECTION_TRANSITIONS, before.status, status);
  if (!isNext && status !== undefined && status !== before.status) return before;
  const isSame =
    !isNext &&
    before.pspStatus === pspStatus &&
    stepsOf(before.attempts) === stepsOf(attempts) &&
    !ending === !before.ending;
  const isOlder = attempts.length < before.attempts.length && !isNext;
  if (isSame || isOlder) return before;
  const { cancelRefusal, ...rest } = before;
  const isNowOver = isNext && isOver({ status });
  return {
    ...rest,
    pspStatus,
    attempts: withEarlier(before.attempts, attempts),
    ...(isNext && { status }),
    ...(cancelRefusal !== undefined && !isNowOver && { cancelRefusal }),
    ...(ending && { ending }),
    updatedAt: at,
  };
}

/** An answer about the end may leave out attempts that were shown before. */
function withEarlier(before: readonly Attempt[], shown: readonly Attempt[]): readonly Attempt[] {
  const isShown = ({ day, kind }: Attempt) => shown.some(one => one.day === day && one.kind === kind);
  return shown.length < before.length ? [...before.filter(one => !isShown(one)), ...shown] : shown;
}

function stepsOf(attempts: readonly Attempt[]): string {
  return attempts.map(({ day, kind, pspStatus }) => [day, kind, pspStatus].join()).join(';');
}

type Window = AutomaticCalls['window'];

/** From when on the PSP takes it. */
export function sendableFrom(dueDay: CivilDay, { earliestDays }: Window): Date {
  return momentOn(addDays(dueDay, -earliestDays));
}

/** The last day on which the PSP takes it. */
export function lastDayToSend(dueDay: CivilDay, { latestDays }: Window): CivilDay {
  return addDays(dueDay, -latestDays);
}

/**
 * Until when the PSP lets the receiver cancel it: by the day of the open attempt, which holidays move. Undefined when all attempts have
 * ended: it brings money only if it is tried again.
 */
export function cancelableUntil(
  { dueDay, attempts }: Pick<Collection, 'dueDay' | 'attempts'>,
  { cancelUntilHour }: Window,
): Date | undefined {
  const open = attempts.filter(isOpen);
  if (attempts.length > 0 && open.length === 0) return undefined;
  const [first = dueDay] = open.flatMap(({ day }) => day ?? []).sort();
  return momentOn(addDays(first, -1), cancelUntilHour);
}

const MAX_RETRIES = 3;
/** Within seven days. A PSP may count the due day as the first of them, so the last day is used only when the retries need it. */
const RETRY_DAYS = { usual: 6, most: 7 } as const;

/**
 * The next day to try again on, after an attempt that brought nothing; undefined while one is open, or when none may follow. It leaves room
 * for all retries, also when holidays have moved the first attempt, and the gaps grow with the room: usually 1, 3 and 6 days after the due
 * day.
 */
export function nextRetryDay(
  { status, attempts, dueDay }: Pick<Collection, 'status' | 'attempts' | 'dueDay'>,
  mandate: Pick<Mandate, 'firstDay' | 'period'>,
  at: Date,
): CivilDay | undefined {
  const left = MAX_RETRIES - retriesOf({ attempts });
  if (status !== 'ACTIVE' || attempts.length === 0 || attempts.some(isOpen) || left <= 0) return undefined;
  const [last = ''] = [civilDay(at), ...attempts.flatMap(({ day }) => day ?? [])].sort().reverse();
  const next = addDays(last, 1);
  const toCycle = daysBetween(next, nextCycle(mandate, dueDay));
  const daysUntil = (after: number) => Math.min(daysBetween(next, addDays(dueDay, after)) + 1, toCycle);
  const days = daysUntil(RETRY_DAYS.usual) >= left ? daysUntil(RETRY_DAYS.usual) : daysUntil(RETRY_DAYS.most);
  if (days <= 0) return undefined;
  return addDays(next, Math.floor(Math.max(0, days - left) / 2 ** (left - 1)));
}

const MONTHS = { MONTHLY: 1, QUARTERLY: 3, SEMIANNUAL: 6, YEARLY: 12 } as const;
const WEEK_DAYS = 7;

/** The first day of the cycle after the one with this day. Cycles are counted from the first day of the mandate. */
function nextCycle({ firstDay, period }: Pick<Mandate, 'firstDay' | 'period'>, day: CivilDay): CivilDay {
  if (period === 'WEEKLY') {
    return addDays(firstDay, (Math.floor(daysBetween(firstDay, day) / WEEK_DAYS) + 1) * WEEK_DAYS);
  }
  const begun = Math.floor((monthOf(day) - monthOf(firstDay)) / MONTHS[period]);
  const next = addMonths(firstDay, begun * MONTHS[period]);
  return next > day ? next : addMonths(firstDay, (begun + 1) * MONTHS[period]);
}

function monthOf(day: CivilDay): number {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return year * 12 + month;
}

/** One in a state that the norm does not know may still be paid. */
function isOpen({ status }: Attempt): boolean {
  return status === undefined || status === 'REQUESTED' || status === 'SCHEDULED';
}

/** Soon after it was sent the payer's bank has scheduled or refused it. */
const FIRST_LOOK_MS = 10 * 60_000;
/** Time for a last cancel of a charge that was paid otherwise. */
const BEFORE_LIMIT_MS = 2 * 3_600_000;
/** Payers' banks try until 8 h and, without money, until 21 h. */
const HOURS_OF_RESULTS = [8.5, 21.5] as const;

/** When the PSP is asked next, should every notification be lost; undefined once it is over. */
export function nextLookAtCollection(collection: Collection, window: Window, at: Date): Date | undefined {
  if (isOver(collection)) return undefined;
  const { status, dueDay, attempts, createdAt } = collection;
  if (status === 'WAITING') {
    const from = sendableFrom(dueDay, window);
    return from > at ? from : new Date(at.getTime() + FIRST_LOOK_MS);
  }
  const days = [dueDay, ...attempts.flatMap(({ day }) => day ?? [])];
  const sent = [createdAt, sendableFrom(dueDay, window)].map(from => new Date(from.getTime() + FIRST_LOOK_MS));
  const moments = [
    ...sent,
    new Date((cancelableUntil(collection, window) ?? at).getTime() - BEFORE_LIMIT_MS),
    ...days.flatMap(day => HOURS_OF_RESULTS.map(hour => momentOn(day, hour))),
    new Date(at.getTime() + DAY_MS),
  ];
  return moments.filter(moment => moment > at).reduce((first, moment) => (moment < first ? moment : first));
}
