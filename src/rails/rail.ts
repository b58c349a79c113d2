// The interface of every rail that receives money: bank, PSP or file exchange. A rail does not depend on charges or the
// database. Every request carries a reference that never changes, by which it is looked up before it is sent again; a bank that
// makes something new of a repeat all the same has `withdrawRepeats`.

import type { ReturnEnd, ReturnEntry } from '@trilho/cnab';
import type { CivilDay } from '../lib/civil-days.ts';
import type { FileServer } from './file-server.ts';

export const METHODS = ['boleto', 'pix'] as const;
export type Method = (typeof METHODS)[number];

/** The amount and terms of a payment, in reais. */
export type PaymentRequest = {
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
  /** Another due day that its bank was asked for, and may have by now. */
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

/** What the payer pays with. */
export type PixInstrument = { readonly emv: string };
export type BoletoInstrument = {
  readonly barcode: string;
  readonly digitableLine: string;
  /** A boleto may carry a pix code: to pay it pays the boleto. */
  readonly pix?: BoletoPix;
  /** Nosso número, where the bank gives it. */
  readonly ourNumber?: string;
};

/** The pix charge that a bank has made for a boleto. */
export type BoletoPix = {
  readonly emv: string;
  /** The location in the code, and the txid of the charge behind it, as far as they are known. */
  readonly location?: string;
  readonly txid?: string;
};

export type Instruments = { readonly pix: PixInstrument; readonly boleto: BoletoInstrument };

/** A place at the bank from which a payer's bank reads a charge. Its code is known before there is a charge at it. */
export type Location = {
  /** Digits; it may be larger than a JavaScript number holds. */
  readonly id: string;
  /** Without a scheme. */
  readonly url: string;
};

/** Locations that are taken before the requests that they are for. */
export type LocationSource = {
  /** How many free ones of each kind there shall be. */
  readonly keep: number;
  readonly kinds: readonly string[];
  /** The kind that a request needs. Pure. */
  kindOf(request: PaymentRequest): string;
  /** Takes one for which `prepare` has an instrument. Throws `rail_unavailable` when the bank gives no location. */
  take(kind: string): Promise<Location>;
};

/**
 * Numbers of an agreement with a bank, by which it knows requests. They are few and never used twice, so the caller keeps
 * count of them and gives each request the next one.
 */
export type NumberRange<M extends Method = Method> = {
  readonly first: bigint;
  readonly last: bigint;
  /** Names the agreement. Rails of one agreement must not give the same number: it is one request to the bank. */
  readonly agreement: string;
  /** Takes the place of `prepare`. Pure. */
  prepare(request: PaymentRequest, number: bigint): Prepared<M>;
};

/** What a file asks a bank to do with a request that has a number. */
export type FileMovement = 'register' | 'write_off' | 'change_due_day';

/** A file to a bank, which grows by each request. */
export type OutgoingFile = {
  /** Throws when the bank's layout cannot hold it. */
  add(movement: FileMovement, request: PaymentRequest, reference: string): string;
  end(): string;
};

/** A bank that takes instructions and answers by files. */
export type FileExchange = {
  /** The numbers of files, and how many instructions one has at most. */
  readonly firstFile: number;
  readonly lastFile: number;
  readonly maxInstructions: number;
  /** After how many banking days without an answer a file needs a person. */
  readonly answerDays: number;
  open(sequence: number, at: Date): OutgoingFile;
  /** Three digits. */
  readonly bank: string;
  /** A hash of the settings, by which it is seen that they were changed. */
  readonly settings: string;
  /** Whether a return file with this header belongs to the agreement. Pure. */
  owns(header: string): boolean;
  /** What a return file says, whose head was read. */
  entries(bytes: Buffer): Generator<ReturnEntry, ReturnEnd>;
  /** Whether an entry is about the request that has its number here: another program may have given the same number. Pure. */
  isAbout(entry: ReturnEntry, request: PaymentRequest): boolean;
  /** A registered boleto with the pix code that the bank has made for it; absent where boletos carry no pix code. Pure. */
  readonly withCode?: (instrument: BoletoInstrument, entry: ReturnEntry, request: PaymentRequest) => BoletoInstrument;
  /** Present: files are carried to and from the bank by this service. */
  readonly server?: FileServer;
};

/** What a printed boleto shows of the bank and the beneficiary. */
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

/** What is known before the bank has answered. */
export type Prepared<M extends Method = Method> = {
  /** By which the bank identifies the request: the txid of a pix, the nosso número of a boleto. */
  readonly reference: string;
  /** Absent: only the bank can make it, and it comes with the registration. */
  readonly instrument?: Instruments[M];
};

/** Why a rail can never accept a request; decided without a call to the bank. */
export type Refusal = { readonly path: string; readonly code: string; readonly message: string };

/**
 * The bank has not answered the question. `unknown`: the request was sent and its reply was lost; only a lookup shows whether
 * it arrived. `unavailable`: nothing was sent, or the bank says that it took nothing; it may be sent again without a lookup.
 */
type NoAnswer = { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly retryAt?: Date };

/**
 * `accepted`: the bank has the request and decides later. `bankId`: by which the bank knows it from now on, where that is not the
 * reference; it is kept, and given to the calls after it.
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

/** A boleto that shall have another due day. */
export type DueDayChange = {
  /** As it is, and as it shall be. */
  readonly present: PaymentRequest;
  readonly wanted: PaymentRequest;
  readonly reference: string;
  readonly bankId?: string;
  /** Under which the bank works on it, where it has given one. */
  readonly code?: string;
};

/**
 * What the bank says to it. `changed`: it has the wanted day; the instrument is as far as it shows one. `unchanged`: it has another day and is not
 * at work on it, so that it may be asked. `accepted`: it decides later.
 */
export type DueDayFinding =
  | { readonly kind: 'changed'; readonly instrument?: BoletoInstrument }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'accepted'; readonly code?: string }
  | Rejected
  | NoAnswer;

/** A bank that is asked by calls for another due day of a boleto. Its calls never throw for a failure of the bank or of the network. */
export type DueDayCalls = {
  /** For this long after the request the bank may still show the earlier day. */
  readonly shownAfterMs: number;
  look(change: DueDayChange): Promise<DueDayFinding>;
  /** May be repeated. */
  ask(change: DueDayChange): Promise<Exclude<DueDayFinding, { readonly kind: 'unchanged' }>>;
};

/** `too_late`: there is nothing to withdraw, for example because it was paid. */
export type CancelOutcome = { readonly kind: 'withdrawn' } | { readonly kind: 'too_late' } | Undecided;

/** `none`: the bank shows nothing else that can be paid. */
export type RepeatsOutcome = CancelOutcome | { readonly kind: 'none' };

export type RefundOutcome = { readonly kind: 'done' } | Rejected | Undecided;
export type RefundFinding = RefundOutcome | { readonly kind: 'absent' };

/** Money that went back out of a payment. */
export type MoneyReturn = {
  /**
   * The refund that may have asked for it, though it need not be known here; absent when it was surely not requested here, as when a
   * bank takes money back after a fraud.
   */
  readonly refundId?: string;
  /** The bank's id of it, unique within its payment. */
  readonly reference: string;
  readonly amountCents: bigint;
  readonly status: 'PENDING' | 'DONE' | 'FAILED';
  /** When it got there; absent where the bank does not report it. */
  readonly at?: Date;
  /** Why, as the bank puts it. */
  readonly reason?: string;
};

/** A payment that the bank has received. */
export type Receipt = {
  /** The bank's id of the payment: the end-to-end id of a pix. */
  readonly reference: string;
  /** The reference of the request that was paid; absent when the payer gave no reference. */
  readonly requestReference?: string;
  /** Further data of the request, where other programs may have given the same reference: only a request that fits was paid. */
  readonly paidRequest?: PaidRequest;
  /** A boleto was paid by the pix code that it carries: the bank may list the same money once more, as a pix. */
  readonly isByPix?: true;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  readonly returns: readonly MoneyReturn[];
  /** The bank names a return of it that cannot be read: what of it. */
  readonly unreadableReturn?: string;
  /** The bank account has other keys, and one of them was paid: the money is no concern of this rail unless it pays a charge. */
  readonly isToOtherKey?: true;
  /** What the bank kept, and when it credits the rest, where it reports them. */
  readonly feeCents?: bigint;
  readonly creditDay?: CivilDay;
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
  /** How many more the bank lists that cannot be read, or have a return that cannot, and which, where they have an id. */
  readonly unreadable?: number;
  readonly unreadableReceipts?: readonly UnreadableReceipt[];
  /** Given to the next call with the same times; absent on the last page. */
  readonly next?: string;
};

/** What is known of a request that was sent. */
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
  };
  /** Names what the bank lists, where it lists payments: a rail and its former name have the same list. */
  readonly listName?: string;
  /** Refuses a request that this rail can never accept. Pure. */
  check(request: PaymentRequest): Refusal | undefined;
  /** What its boletos say when they are printed. Pure. */
  readonly slip?: (reference: string, instrument?: BoletoInstrument) => SlipIssuer;
  /** Absent: codes come from `prepare` alone or from the bank's answer. */
  readonly locations?: LocationSource;
  /** Absent: the reference is derived from the request. */
  readonly numbers?: NumberRange<M>;
  /** Present: the bank works by files, not by calls; `submit`, `lookup` and `cancel` are not used. */
  readonly files?: FileExchange;
  /** The reference, and the instrument as far as it is known without the bank; the same each time for one request. Pure. */
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
   * Withdraws what else the bank has of a request that was sent twice, all but the one with its id `keptBankId`. Present where a bank
   * makes something new of each request: elsewhere it refuses the second.
   */
  withdrawRepeats?(request: PaymentRequest, reference: string, keptBankId?: string): Promise<RepeatsOutcome>;
  /** Takes another due day, that of the request, at once. Present where no bank needs to know. Pure. */
  changeDueDay?(request: PaymentRequest): { readonly kind: 'changed' } | Rejected;
  /** Present where the bank is asked by calls. */
  readonly dueDays?: DueDayCalls;
  refund(request: RefundRequest): Promise<RefundOutcome>;
  lookupRefund(request: RefundRequest): Promise<RefundFinding>;
  /** How to learn of payments; absent when only people report them. */
  readonly watch?: ReceiptsByTime | ReceiptsByRequest;
  /** When the certificate by which the bank knows this client ends; undefined where it wants no certificate. */
  readonly certificateEnd?: () => Date | undefined;
};

/** A bank that lists what it has received. Its calls throw `rail_unavailable` when the bank does not answer. */
export type ReceiptsByTime = {
  readonly by: 'time';
  /** How often the bank may be asked; once a minute when absent. */
  readonly everyMs?: number;
  /** All payments received, or returned, between two times. */
  receipts(from: Date, to: Date, cursor?: string): Promise<ReceiptPage>;
  /** One payment by its id; undefined when the bank does not know it (yet). */
  receipt(reference: string): Promise<Receipt | undefined>;
  /** The location of a request by its reference; undefined when the bank does not know it. Absent where there are no locations. */
  locationOf?(requestReference: string): Promise<string | undefined>;
  /** The ids of the payments that a notification is about. Pure; nothing else in it is believed. */
  hints(body: unknown): readonly string[];
  /** The references of the requests on which the bank may have decided, by its notification. Pure. */
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
