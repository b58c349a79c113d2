// The interface of every rail that receives money: bank, PSP or file exchange. A rail does not depend on charges or the
// database. Every request carries a reference that never changes, so requests are idempotent.
import type { CivilDay } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';

export const METHODS = ['boleto', 'pix'] as const;
export type Method = (typeof METHODS)[number];

/** The amount and terms of a payment, in reais. */
export type PaymentRequest = {
  /** A UUID; the references of an instrument are derived from it. */
  readonly id: string;
  readonly amountCents: bigint;
  readonly dueDay: CivilDay;
  /** The last day of the requested validity. */
  readonly expireDay: CivilDay;
  /** Decimal text: the fine as a percent of the amount, once; the interest as a percent per month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
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

/** A payment that the bank has received. */
export type ReceivedPayment = { readonly reference: string; readonly amountCents: bigint; readonly paidAt: Date };

/** What the payer pays with, and the references by which the bank identifies it. */
export type PixInstrument = { readonly txid: string; readonly emv: string };
export type BoletoInstrument = { readonly ourNumber: string; readonly barcode: string; readonly digitableLine: string };
export type Instruments = { readonly pix: PixInstrument; readonly boleto: BoletoInstrument };

/** Why a rail can never accept a request; decided without a call to the bank. */
export type Refusal = { readonly path: string; readonly code: string; readonly message: string };

/**
 * The answer of the bank. `unknown`: the reply was lost, and only a lookup shows whether the request arrived. `accepted`:
 * the bank has the request and decides later.
 */
export type Outcome =
  | {
      readonly kind: 'registered';
      /** Replaces the prepared instrument, if only the bank can create it, such as a dynamic code. */
      readonly instrument?: Instruments[Method];
    }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unknown' };

/** The result of a lookup. `absent`: the request never arrived and may be sent. */
export type Finding = Outcome | { readonly kind: 'absent' };

export type Rail<M extends Method = Method> = {
  readonly name: string;
  readonly method: M;
  /** Optional abilities; the caller does not use one that is false. */
  readonly can: {
    /** Can refund a payment. */
    readonly refund: boolean;
    /** Can withdraw an instrument, so that it can no longer be paid. */
    readonly withdraw: boolean;
  };
  /** The bank registers an instrument only for a payer with an address. */
  readonly needsAddress?: true;
  /** Refuses a request that this rail can never accept. Pure. */
  check(request: PaymentRequest): Refusal | undefined;
  /** Builds the instrument with its references; the same each time for one request. Pure. */
  prepare(request: PaymentRequest): Instruments[M];
  /** Registers the instrument at the bank. Never throws for a failure of the bank or of the network. */
  submit(request: PaymentRequest, instrument: Instruments[M]): Promise<Outcome>;
  /** Looks up the result of `submit` by the reference. */
  lookup(request: PaymentRequest, instrument: Instruments[M]): Promise<Finding>;
  /** Withdraws the instrument at the bank. `rejected` means that there was nothing to withdraw. */
  cancel(request: PaymentRequest, instrument: Instruments[M]): Promise<Outcome>;
  refund(request: RefundRequest): Promise<Outcome>;
  lookupRefund(request: RefundRequest): Promise<Finding>;
  /** The time of the next `reconcile` after `after`; undefined when none is needed. Pure. */
  reconcileAfter(request: PaymentRequest, after: Date): Date | undefined;
  /**
   * All payments that the bank has received for it up to a time, including those returned before. Throws `rail_unavailable`
   * when the bank does not answer.
   */
  reconcile(request: PaymentRequest, instrument: Instruments[M], until: Date): Promise<readonly ReceivedPayment[]>;
};

/** The rail that serves each method. */
export type Rails = { readonly [M in Method]: Rail<M> } & {
  /** Rails that get no new charges, but still serve their old ones. */
  readonly former?: readonly Rail[];
};

/** The rail on which a method was registered, also when the method has another rail now. */
export function railNamed(rails: Rails, method: Method, name: string): Rail {
  const all: readonly Rail[] = [rails[method], ...(rails.former ?? [])];
  const rail = all.find(candidate => candidate.method === method && candidate.name === name);
  if (!rail)
    throw new AppError('not_configured', `The rail ${name} of ${method} is not configured, and charges are on it.`);
  return rail;
}
