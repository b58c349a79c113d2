// The interface of every rail that receives money: bank, PSP or file exchange. A rail does not depend on charges or the
// database. Every request carries a reference that never changes, by which it is looked up before it is sent again; a bank that treats a
// repeat as a new request anyway has `withdrawRepeats`.

import type { ReturnEnd, ReturnEntry } from '@trilho/cnab';
import type { CivilDay } from '../lib/civil-days.ts';
import type { AutomaticCalls } from './automatic.ts';
import type { FileServer } from './file-server.ts';
import type { BoletoInstrument } from './methods/boleto.ts';
import type { Instruments, Method } from './methods/methods.ts';
import type { Reductions } from './reductions.ts';

/** The amount and terms of a payment, in reais. */
export type PaymentRequest = Reductions & {
  /** A UUID; the reference is derived from it. */
  readonly id: string;
  readonly amountCents: bigint;
  readonly createdAt: Date;
  /** When the requested validity ends. */
  readonly expireAt: Date;
  readonly dueDay: CivilDay;
  /** The day of `expireAt`. */
  readonly expireDay: CivilDay;
  /** Decimal text: the fine as a percent of the amount, once; the interest as a percent per month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
  /** What the payer reads. */
  readonly description?: string;
  /** Another due day that its bank was asked for, and may have set by now. */
  readonly askedDueDay?: CivilDay;
  readonly payer: {
    readonly name: string;
    /** CPF or CNPJ without punctuation. */
    readonly document: string;
    readonly address?: Readonly<Record<string, string>>;
  };
};

/** A refund out of one payment. */
export type RefundRequest = {
  /** A UUID, the same for every retry. */
  readonly id: string;
  /** The bank's id of the payment. */
  readonly paymentReference: string;
  readonly amountCents: bigint;
};

/** The URL at which a payer's bank reads a charge. Its code is known before the charge exists. */
export type Location = {
  /** Digits; it may be larger than a JavaScript number holds. */
  readonly id: string;
  /** Without a scheme. */
  readonly url: string;
};

/** Locations reserved before the requests that will use them. */
export type LocationSource = {
  /** How many free ones of each kind to keep. */
  readonly keep: number;
  readonly kinds: readonly string[];
  /** The kind that a request needs. Pure. */
  kindOf(request: PaymentRequest): string;
  /** Reserves one for which `prepare` has an instrument. Throws `rail_unavailable` when the bank gives no location. */
  take(kind: string): Promise<Location>;
};

/**
 * Numbers of an agreement, by which the bank identifies requests. They are few and never used twice, so the caller keeps count and gives
 * each request the next one.
 */
export type NumberRange<M extends Method = Method> = {
  readonly first: bigint;
  readonly last: bigint;
  /** Identifies the agreement. Rails of one agreement must not give the same number: to the bank it would be one request. */
  readonly agreement: string;
  /** Replaces `prepare`. Pure. */
  prepare(request: PaymentRequest, number: bigint): Prepared<M>;
};

/** What a file asks a bank to do with a numbered request. */
export type FileMovement = 'register' | 'write_off' | 'change_due_day';

/** A file to a bank; each request is appended. */
export type OutgoingFile = {
  /** Throws when the bank's layout cannot express it. */
  add(movement: FileMovement, request: PaymentRequest, reference: string): string;
  end(): string;
};

/** A bank that exchanges files with us: instructions there, returns back. */
export type FileExchange = {
  /** The numbers of files, and the most instructions that one holds. */
  readonly firstFile: number;
  readonly lastFile: number;
  readonly maxInstructions: number;
  /** After how many banking days without an answer a person must look at a file. */
  readonly answerDays: number;
  open(sequence: number, at: Date): OutgoingFile;
  /** Three digits. */
  readonly bank: string;
  /** A hash of the settings, to detect changes. */
  readonly settings: string;
  /** Whether a return file with this header belongs to the agreement. Pure. */
  owns(header: string): boolean;
  /** What a return file says, once its header was read. */
  entries(bytes: Buffer): Generator<ReturnEntry, ReturnEnd>;
  /** Whether an entry is about our request with its number: another program may have given the same number. Pure. */
  isAbout(entry: ReturnEntry, request: PaymentRequest): boolean;
  /** A registered boleto with the pix code that the bank made for it; absent where boletos carry no pix code. Pure. */
  readonly withCode?: (instrument: BoletoInstrument, entry: ReturnEntry, request: PaymentRequest) => BoletoInstrument;
  /** Present: this service transfers the files itself. */
  readonly server?: FileServer;
};

/** The bank and the beneficiary on a printed boleto. */
export type SlipIssuer = {
  readonly bankName: string;
  /** Nosso número and carteira, as the bank writes them. */
  readonly ourNumber: string;
  readonly carteira: string;
  readonly documentNumber: string;
  readonly beneficiary: {
    readonly name: string;
    readonly document: string;
    readonly agency: string;
    readonly code: string;
  };
};

/** What is known before the bank answers. */
type Prepared<M extends Method = Method> = {
  /** How the bank identifies the request: the txid of a pix, the nosso número of a boleto. */
  readonly reference: string;
  /** Absent: only the bank can make it, with the registration. */
  readonly instrument?: Instruments[M];
};

/** Why a rail can never accept a request; decided without a call to the bank. */
export type Refusal = { readonly path: string; readonly code: string; readonly message: string };

/**
 * The bank has not answered. `unknown`: the request was sent and its reply was lost; only a lookup shows whether it arrived. `unavailable`:
 * nothing was sent, or the bank says that it accepted nothing; it may be sent again without a lookup.
 */
type NoAnswer = { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly retryAt?: Date };

/**
 * `accepted`: the bank has the request and decides later. `bankId`: the bank's id for it from now on, where that is not the reference; it
 * is stored and passed to later calls.
 */
type Undecided = { readonly kind: 'accepted'; readonly bankId?: string } | NoAnswer;

type Rejected = { readonly kind: 'rejected'; readonly reason: string };

/** The answer of the bank to a registration. An `instrument` replaces the prepared one. */
export type Outcome =
  | { readonly kind: 'registered'; readonly instrument?: Instruments[Method]; readonly bankId?: string }
  | Rejected
  | Undecided;

/** The result of a lookup. `absent`: the request never arrived and may be sent. `withdrawn`: it can no longer be paid. */
export type Finding = Outcome | { readonly kind: 'absent' } | { readonly kind: 'withdrawn' };

/** A boleto whose due day is to change. */
export type DueDayChange = {
  /** The request as it is, and with the new due day. */
  readonly present: PaymentRequest;
  readonly wanted: PaymentRequest;
  readonly reference: string;
  readonly bankId?: string;
  /** The bank's id for the change, where it has given one. */
  readonly code?: string;
};

/**
 * The answer of the bank. `changed`: the boleto has the new day; the instrument holds what the bank shows of it. `unchanged`: it has
 * another day and nothing is pending, so the bank may be asked. `accepted`: the bank decides later.
 */
export type DueDayFinding =
  | { readonly kind: 'changed'; readonly instrument?: BoletoInstrument }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly code?: string }
  | Rejected
  | NoAnswer;

/** A bank whose API changes the due day of a boleto. Its calls never throw for a failure of the bank or of the network. */
export type DueDayCalls = {
  /** For this long after the request the bank may still show the earlier day. */
  readonly shownAfterMs: number;
  look(change: DueDayChange): Promise<DueDayFinding>;
  /** May be repeated. */
  ask(change: DueDayChange): Promise<Exclude<DueDayFinding, { readonly kind: 'unchanged' }>>;
};

/** `too_late`: there is nothing left to withdraw, for example because it was paid. */
export type CancelOutcome = { readonly kind: 'withdrawn' } | { readonly kind: 'too_late' } | Undecided;

/** `none`: the bank has no other copy that can be paid. */
export type RepeatsOutcome = CancelOutcome | { readonly kind: 'none' };

export type RefundOutcome = { readonly kind: 'done' } | Rejected | Undecided;
export type RefundFinding = RefundOutcome | { readonly kind: 'absent' };

/** Why a payer's bank asks for money back. `other`: for a reason that this service does not know. */
export const DISPUTE_CAUSES = ['fraud', 'operational_failure', 'automatic_pix', 'other'] as const;
export type DisputeCause = (typeof DISPUTE_CAUSES)[number];

/** The payer's bank has asked for the money, as in Brazil by the MED. */
export type DisputedReturn = {
  readonly cause: DisputeCause;
  /** The bank's own code of the cause. */
  readonly bankCode: string;
};

/** Money of a payment that went back. */
export type MoneyReturn = {
  /**
   * The refund that may have caused it, which this service may not know; absent when it was certainly not requested here, as when a bank
   * takes money back after a fraud.
   */
  readonly refundId?: string;
  /** The bank's id of it, unique within its payment. */
  readonly reference: string;
  readonly amountCents: bigint;
  readonly status: 'PENDING' | 'DONE' | 'FAILED';
  /** When it arrived; absent where the bank does not report it. */
  readonly at?: Date;
  /** The reason in the bank's words. */
  readonly reason?: string;
  /** Present when it was not asked for by the receiver. */
  readonly dispute?: DisputedReturn;
};

/** A payment that the bank has received. */
export type Receipt = {
  /** The bank's id of the payment: the end-to-end id of a pix. */
  readonly reference: string;
  /** The reference of the request that was paid; absent when the payer gave no reference. */
  readonly requestReference?: string;
  /** Further data of the request, where other programs may have given the same reference: only a matching request was paid. */
  readonly paidRequest?: PaidRequest;
  /** A boleto was paid by the pix code that it carries: the bank may list the same money again, as a pix. */
  readonly isByPix?: true;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  readonly returns: readonly MoneyReturn[];
  /** The bank lists a return of it that cannot be read: what is wrong with it. */
  readonly unreadableReturn?: string;
  /** Another key of the bank account was paid: the money does not concern this rail unless it pays a charge. */
  readonly isToOtherKey?: true;
  /** The bank's fee, and when it credits the rest, where it reports them. */
  readonly feeCents?: bigint;
  readonly creditDay?: CivilDay;
  /** What the bank took off the amount of the request, where it reports that. */
  readonly discountCents?: bigint;
  readonly abatementCents?: bigint;
  /** The channel by which it was paid: the code of a bank that reports by file («motivo», C047 of the norm). */
  readonly channel?: string;
};

export type PaidRequest = { readonly bankId: string; readonly amountCents?: bigint; readonly dueDay?: CivilDay };

/** A payment that the bank lists and that cannot be read, or a return of it. */
export type UnreadableReceipt = {
  readonly reference: string;
  readonly about: 'payment' | 'return';
  /** What cannot be read. */
  readonly words: string;
  /** Of the payment, where that can be read. */
  readonly amountCents?: bigint;
};

export type ReceiptPage = {
  readonly receipts: readonly Receipt[];
  /** How many more the bank lists that cannot be read, or have an unreadable return, and which ones, where they have an id. */
  readonly unreadable?: number;
  readonly unreadableReceipts?: readonly UnreadableReceipt[];
  /** Given to the next call with the same times; absent on the last page. */
  readonly next?: string;
};

/** What is known of a sent request. */
export type KnownAtBank = {
  /** The bank's own id of it, where the bank has given one. */
  readonly bankId?: string;
  /** When it was last sent; absent when it was not. */
  readonly sentAt?: Date;
};

export type Rail<M extends Method = Method> = {
  /** Stable, and stored with each charge: `sandbox`, `pix-key`, `efi:main`. */
  readonly name: string;
  readonly method: M;
  /** Optional abilities; the caller does not use one that is false. */
  readonly can: {
    /** Can refund a payment. */
    readonly refund: boolean;
    /** Can withdraw an instrument, so that it can no longer be paid. */
    readonly withdraw: boolean;
    /** Can ask for less than the amount: an abatement, and discounts for paying early. */
    readonly reduce: boolean;
  };
  /** Identifies the bank's list of payments, where it has one: a rail and its former name share a list. */
  readonly listName?: string;
  /** Refuses a request that this rail can never accept. Pure. */
  check(request: PaymentRequest): Refusal | undefined;
  /** What its printed boletos say. Pure. */
  readonly slip?: (reference: string, instrument?: BoletoInstrument) => SlipIssuer;
  /** Absent: codes come only from `prepare` or from the bank's answer. */
  readonly locations?: LocationSource;
  /** Absent: the reference is derived from the request. */
  readonly numbers?: NumberRange<M>;
  /** Present: the bank works by files, not by calls; `submit`, `lookup` and `cancel` are not used. */
  readonly files?: FileExchange;
  /** The reference, and the instrument as far as it is known without the bank; always the same for one request. Pure. */
  prepare(request: PaymentRequest, location?: Location): Prepared<M>;
  /**
   * Registers the request at the bank, at its location if it has one: then an instrument in the answer means that the bank
   * has put it elsewhere. Never throws for a failure of the bank or of the network.
   */
  submit(request: PaymentRequest, reference: string, location?: Location): Promise<Outcome>;
  /** Looks up the result of `submit` by the reference, or by the bank's id where it has given one. */
  lookup(request: PaymentRequest, reference: string, location?: Location, known?: KnownAtBank): Promise<Finding>;
  /** Withdraws the request at the bank; may be repeated. */
  cancel(request: PaymentRequest, reference: string, known?: KnownAtBank): Promise<CancelOutcome>;
  /**
   * Withdraws the other copies of a request that was sent twice, all but the one with the id `keptBankId`. Present where a bank accepts
   * each request as a new one: elsewhere it refuses the second.
   */
  withdrawRepeats?(request: PaymentRequest, reference: string, keptBankId?: string): Promise<RepeatsOutcome>;
  /** Changes the due day at once, to that of the request. Present where no bank needs to know. Pure. */
  changeDueDay?(request: PaymentRequest): { readonly kind: 'changed' } | Rejected;
  /** Present where the bank is asked through its API. */
  readonly dueDays?: DueDayCalls;
  refund(request: RefundRequest): Promise<RefundOutcome>;
  lookupRefund(request: RefundRequest): Promise<RefundFinding>;
  /** How to learn of payments; absent when only people report them. */
  readonly watch?: ReceiptsByTime | ReceiptsByRequest;
  /** Present where a payer's bank collects again and again once the payer has approved it: Pix Automático. */
  readonly automatic?: AutomaticCalls;
  /** When the client certificate expires; undefined where the bank wants no certificate. */
  readonly certificateEnd?: () => Date | undefined;
};

/** A bank that lists received payments. Its calls throw `rail_unavailable` when the bank does not answer. */
export type ReceiptsByTime = {
  readonly by: 'time';
  /** How often the bank may be asked; once a minute when absent. */
  readonly everyMs?: number;
  /** All payments received, or returned, between two times. */
  receipts(from: Date, to: Date, cursor?: string): Promise<ReceiptPage>;
  /** One payment by its id; undefined when the bank does not know it, or not yet. */
  receipt(reference: string): Promise<Receipt | undefined>;
  /** The location of a request by its reference; undefined when the bank does not know it. Absent where there are no locations. */
  locationOf?(requestReference: string): Promise<string | undefined>;
  /** The ids of the payments in a notification. Pure; nothing else in it is trusted. */
  hints(body: unknown): readonly string[];
  /** The references of the requests on which the bank may have decided, according to its notification. Pure. */
  decided?(body: unknown): readonly string[];
};

/** A bank that must be asked about each request. */
export type ReceiptsByRequest = {
  readonly by: 'request';
  /** The time of the next question after `after`; undefined when no question is needed. Pure. */
  nextLook(request: PaymentRequest, after: Date): Date | undefined;
  /**
   * All payments that the bank has received for it up to a time, including those returned before. Throws `rail_unavailable`
   * when the bank does not answer.
   */
  receiptsOf(request: PaymentRequest, reference: string, until: Date): Promise<readonly Receipt[]>;
};
