// How money arrives: the one interface behind which every bank, PSP and file exchange stands. A rail knows nothing of
// charges or the database. What it is asked for carries a reference that never changes, so asking twice is asking once.
import type { CivilDay } from '../lib/civil-days.ts';

export const METHODS = ['boleto', 'pix'] as const;
export type Method = (typeof METHODS)[number];

/** What a payer is to pay, in reais. */
export type PaymentRequest = {
  /** A UUID; the references of an instrument are made from it. */
  readonly id: string;
  readonly amountCents: bigint;
  readonly dueDay: CivilDay;
  /** The last day it is to be paid as asked. */
  readonly expireDay: CivilDay;
  /** Decimal text: percent of the amount, once, and percent a month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
  readonly payer: {
    readonly name: string;
    /** CPF or CNPJ without punctuation. */
    readonly document: string;
    readonly address?: Readonly<Record<string, string>>;
  };
};

/** Money to send back out of a payment. */
export type RefundRequest = {
  /** A UUID, the same each time it is asked. */
  readonly id: string;
  /** What the bank calls the payment. */
  readonly paymentReference: string;
  readonly amountCents: bigint;
};

/** Money the bank has seen. */
export type Receipt = { readonly reference: string; readonly amountCents: bigint; readonly paidAt: Date };

/** What the payer is given, with the references the bank knows it by. */
export type PixInstrument = { readonly txid: string; readonly emv: string };
export type BoletoInstrument = { readonly ourNumber: string; readonly barcode: string; readonly digitableLine: string };
export type Instruments = { readonly pix: PixInstrument; readonly boleto: BoletoInstrument };

/** Why a request can never be served by a rail, known without asking anybody. */
export type Refusal = { readonly path: string; readonly code: string; readonly message: string };

/**
 * What the bank said. *Unknown* is an answer: the reply was lost, and only a lookup tells whether the request arrived.
 * *Accepted* means: taken, and decided later.
 */
export type Outcome =
  | {
      readonly kind: 'registered';
      /** In place of what was prepared, where only the bank could make it, such as a dynamic code. */
      readonly instrument?: Instruments[Method];
    }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown' };

/** What a lookup finds; *absent* means that the request never arrived and may be sent. */
export type Finding = Outcome | { readonly kind: 'absent' };

export type Rail<M extends Method = Method> = {
  readonly name: string;
  readonly method: M;
  /** What it can do beyond taking a payment; what it cannot is refused before it is asked. */
  readonly can: {
    /** Send money back. */
    readonly refund: boolean;
    /** Take back what it was given, so that it may be paid no more. */
    readonly withdraw: boolean;
  };
  readonly limits: { readonly maxAmountCents: bigint };
  /** Refuses what this rail can never carry, beyond its limits, which are kept by whoever asks it. Pure. */
  check(request: PaymentRequest): Refusal | undefined;
  /** The instrument with its references, the same each time for one request. Pure. */
  prepare(request: PaymentRequest): Instruments[M];
  /** Asks the bank to take it. Never throws for what a bank or a network can do. */
  submit(request: PaymentRequest, instrument: Instruments[M]): Promise<Outcome>;
  /** Asks what became of it, by its reference. */
  lookup(request: PaymentRequest, instrument: Instruments[M]): Promise<Finding>;
  /** Asks the bank to let it be paid no more. *Rejected* means that there was nothing to take back. */
  cancel(request: PaymentRequest, instrument: Instruments[M]): Promise<Outcome>;
  refund(request: RefundRequest): Promise<Outcome>;
  lookupRefund(request: RefundRequest): Promise<Finding>;
  /** When to ask next, after a moment, whether money came; undefined when there is no need to ask. Pure. */
  reconcileAfter(request: PaymentRequest, after: Date): Date | undefined;
  /** All money the bank has seen for it up to a moment, each time from the first. */
  reconcile(request: PaymentRequest, instrument: Instruments[M], until: Date): Promise<readonly Receipt[]>;
};

/** The rail that serves each method. */
export type Rails = { readonly [M in Method]: Rail<M> } & {
  /** Rails that take nothing new, and still answer for what they were given. */
  readonly former?: readonly Rail[];
};

/** The rail that a method was given to, also when another serves the method by now. */
export function railNamed(rails: Rails, method: Method, name: string): Rail {
  const all: readonly Rail[] = [rails[method], ...(rails.former ?? [])];
  const rail = all.find(candidate => candidate.method === method && candidate.name === name);
  if (!rail) throw new Error(`the rail ${name} is not configured, and charges are on it`);
  return rail;
}
