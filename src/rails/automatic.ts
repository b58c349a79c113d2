// Pix Automático: money that the bank of a payer collects again and again, once the payer has approved it. The norm calls the approval a
// recurrence and the charge of one cycle a recurrent charge, here a collection.
import type { CivilDay } from '../lib/civil-days.ts';

export const RECURRENCE_PERIODS = ['WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'YEARLY'] as const;
export type RecurrencePeriod = (typeof RECURRENCE_PERIODS)[number];

const RECURRENCE_STATUSES = ['CREATED', 'APPROVED', 'REJECTED', 'EXPIRED', 'CANCELED'] as const;
export type RecurrenceStatus = (typeof RECURRENCE_STATUSES)[number];

const PAYER_REQUEST_STATUSES = ['CREATED', 'SENT', 'RECEIVED', 'REJECTED', 'ACCEPTED', 'EXPIRED', 'CANCELED'] as const;
export type PayerRequestStatus = (typeof PAYER_REQUEST_STATUSES)[number];

const COLLECTION_STATUSES = ['CREATED', 'ACTIVE', 'COMPLETED', 'EXPIRED', 'REJECTED', 'CANCELED'] as const;
export type CollectionStatus = (typeof COLLECTION_STATUSES)[number];

export const ATTEMPT_STATUSES = ['REQUESTED', 'SCHEDULED', 'PAID', 'CANCELED', 'REJECTED', 'EXPIRED'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

/** The attempt of the due day, one that the receiver asked for after it, or one that the PSP sent again. */
export const ATTEMPT_KINDS = ['FIRST', 'RETRY', 'RESENT'] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

/** A state as the PSP names it, and what it means here; undefined: the norm does not know it. */
type InState<Status extends string> = { readonly status?: Status; readonly pspStatus: string };

/** Why something ended or was refused, by the PSP's code, which the norm may not know. */
export type Reason = { readonly code?: string; readonly description?: string };
export type Ending = Reason & {
  readonly by?: 'PAYER' | 'PAYER_BANK' | 'RECEIVER' | 'RECEIVER_BANK';
};

export type RecurrenceRequest = {
  /** At most 35 characters. The payer sees it, and a recurrence whose answer was lost is found by it. */
  readonly contract: string;
  /** What is paid for, at most 35 characters. */
  readonly description?: string;
  readonly payer: { readonly name: string; readonly document: string };
  readonly firstDay: CivilDay;
  /** Absent: without an end. */
  readonly lastDay?: CivilDay;
  readonly period: RecurrencePeriod;
  /** Of every collection; absent: collections have amounts of their own. */
  readonly amountCents?: bigint;
  /** Without `amountCents`: the payer's limit must not be below it. */
  readonly minimumCents?: bigint;
  /** Whether a collection may be tried three more times within seven days. */
  readonly allowsRetries: boolean;
  /** Where its code leads; absent: the payer is asked in their bank. */
  readonly locationId?: string;
  /** The immediate charge that the payer pays with the code of journey 3. */
  readonly chargeReference?: string;
};

/** A request in the bank of the payer to approve a recurrence. */
export type PayerRequest = InState<PayerRequestStatus> & { readonly id: string };

export type Recurrence = InState<RecurrenceStatus> & {
  readonly id: string;
  readonly contract?: string;
  readonly firstDay?: CivilDay;
  readonly period?: RecurrencePeriod;
  readonly amountCents?: bigint;
  /** The way in which the payer approved it. */
  readonly journey?: 1 | 2 | 3 | 4;
  /** Its code, with the charge that was asked for beside it. */
  readonly emv?: string;
  readonly location?: RecurrenceLocation;
  readonly ending?: Ending;
  readonly requests: readonly PayerRequest[];
};

export type RecurrenceLocation = { readonly id: string; readonly url: string };

/** Asks the payer in their bank. */
export type AskPayer = {
  readonly recurrenceId: string;
  readonly expiresAt: Date;
  readonly document: string;
  /** Eight characters that name the bank. */
  readonly ispb: string;
  readonly branch?: string;
  readonly account: string;
};

export type CollectionRequest = {
  readonly recurrenceId: string;
  readonly dueDay: CivilDay;
  readonly amountCents: bigint;
  /** At most 140 characters. */
  readonly description?: string;
};

export type Attempt = InState<AttemptStatus> & {
  readonly kind?: AttemptKind;
  readonly day?: CivilDay;
  readonly paymentReference?: string;
  readonly refusal?: Reason;
};

export type Collection = InState<CollectionStatus> & {
  readonly reference: string;
  readonly recurrenceId?: string;
  readonly amountCents?: bigint;
  readonly dueDay?: CivilDay;
  readonly ending?: Ending;
  readonly attempts: readonly Attempt[];
  /** The ids of the payments that it brought. */
  readonly paymentReferences: readonly string[];
};

/** As for charges: after `unknown` only a look at the PSP shows what was done; after `unavailable` nothing was. */
export type NoAnswer = { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly retryAt?: Date };
export type Rejected = { readonly kind: 'rejected'; readonly reason: string };
type Absent = { readonly kind: 'absent' };

export type RecurrenceAnswer = { readonly kind: 'found'; readonly recurrence: Recurrence };
export type CollectionAnswer = { readonly kind: 'found'; readonly collection: Collection };
type PayerRequestAnswer = { readonly kind: 'found'; readonly request: PayerRequest };
type LocationAnswer = { readonly kind: 'found'; readonly location: RecurrenceLocation };

export type Page<T> = {
  readonly kind: 'page';
  readonly items: readonly T[];
  /** Those that the PSP lists or counts but that cannot be read. */
  readonly unreadable: number;
  readonly next?: string;
};
export type Period = { readonly from: Date; readonly to: Date };

/** What a notification is about. Anybody may have sent it, so nothing else in it is read. */
export type AutomaticHints = { readonly recurrenceIds: readonly string[]; readonly references: readonly string[] };

export const AUTOMATIC_NOTICES = ['rec', 'cobr'] as const;
type AutomaticNotice = (typeof AUTOMATIC_NOTICES)[number];

/** The calls of a PSP that offers Pix Automático. They never throw for a failure of the PSP or of the network. */
export type AutomaticCalls = {
  /** How many days before its due day a collection is taken, and until which hour of the day before it may be canceled. */
  readonly window: { readonly earliestDays: number; readonly latestDays: number; readonly cancelUntilHour: number };
  /** A location that is lost with its answer stays unused. */
  takeLocation(): Promise<LocationAnswer | Rejected | NoAnswer>;
  /** The PSP makes the id: after `unknown`, `findRecurrence` shows whether it has it. */
  createRecurrence(request: RecurrenceRequest): Promise<RecurrenceAnswer | Rejected | NoAnswer>;
  /** Those that were created in the period with this request: by its location, which one recurrence has, or by its terms. */
  findRecurrence(
    request: RecurrenceRequest,
    period: Period,
  ): Promise<{ readonly kind: 'listed'; readonly recurrences: readonly Recurrence[] } | NoAnswer>;
  /** With the code that also pays the charge with this reference, if one is given. */
  recurrence(id: string, chargeReference?: string): Promise<RecurrenceAnswer | Absent | NoAnswer>;
  /** `found`: it has ended, now or before. May be repeated. */
  cancelRecurrence(id: string): Promise<RecurrenceAnswer | Rejected | NoAnswer>;
  /** The PSP makes the id: after `unknown`, the requests of the recurrence show whether it has it. */
  askPayer(request: AskPayer): Promise<PayerRequestAnswer | Rejected | NoAnswer>;
  payerRequest(id: string): Promise<PayerRequestAnswer | Absent | NoAnswer>;
  cancelPayerRequest(id: string): Promise<PayerRequestAnswer | Rejected | NoAnswer>;
  /** May be repeated with the same reference, 26 to 35 letters and digits. */
  collect(request: CollectionRequest, reference: string): Promise<CollectionAnswer | Rejected | NoAnswer>;
  collection(reference: string): Promise<CollectionAnswer | Absent | NoAnswer>;
  /** `found`: it has ended, now or before. May be repeated. */
  cancelCollection(reference: string): Promise<CollectionAnswer | Rejected | NoAnswer>;
  /** Tries once more on that day. May be repeated. */
  retryCollection(reference: string, day: CivilDay): Promise<CollectionAnswer | Rejected | NoAnswer>;
  /** Those that were created in the period. */
  recurrences(period: Period, cursor?: string): Promise<Page<Recurrence> | NoAnswer>;
  collections(period: Period, cursor?: string): Promise<Page<Collection> | NoAnswer>;
  /** Replaces the addresses for both kinds of notifications. Throws `wrong_state` when the PSP refuses one. */
  registerWebhooks(url: string, options?: { readonly skipMtls?: boolean }): Promise<void>;
  /** Undefined where none is registered. */
  readWebhook(notice: AutomaticNotice): Promise<{ readonly url: string } | undefined>;
  /** Pure. */
  hints(body: unknown): AutomaticHints;
};
