// The types of a charge and its closed lists of statuses. Nothing here reads the database or the clock.
import { type CivilDay, civilDay } from '../lib/civil-days.ts';
import type { Currency } from '../lib/currency.ts';
import { convertCentsDown } from '../lib/money.ts';
import { ABILITIES } from '../rails/abilities.ts';
import { isInstantPix } from '../rails/instant-pix.ts';
import { METHOD_STATUSES, type MethodStatus } from '../rails/methods/method.ts';
import { type Instruments, METHOD_FACTS, type Method } from '../rails/methods/methods.ts';
import type { Location, PaymentRequest } from '../rails/rail.ts';
import type { Reduction, Reductions } from '../rails/reductions.ts';

/** The statuses that a method of this kind can have. */
export function statusesOf(method: Method): MethodStatus[] {
  return METHOD_STATUSES.filter(status => status in METHOD_FACTS[method].transitions);
}

/** The state of the whole charge, derived from its payments, its refunds and the statuses of its methods. */
export const CHARGE_STATES = [
  'CREATING',
  'ACTIVE',
  'OVERDUE',
  'PARTIALLY_PAID',
  'PAID',
  'SETTLED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'EXPIRED',
  'CANCELED',
  'FAILED',
] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

export const TIMINGS = ['on_time', 'late'] as const;
export type Timing = (typeof TIMINGS)[number];
export const PAID_AMOUNTS = ['exact', 'partial', 'over'] as const;
export type PaidAmount = (typeof PAID_AMOUNTS)[number];

const ADDRESS_FIELDS = [
  'street',
  'number',
  'postalCode',
  'city',
  'countryCode',
  'complement',
  'neighborhood',
  'state',
] as const;
export type Address = { readonly [field in (typeof ADDRESS_FIELDS)[number]]?: string };

export const CUSTOMER_TYPES = ['individual', 'company'] as const;
export type CustomerType = (typeof CUSTOMER_TYPES)[number];

export type Customer = {
  readonly name: string;
  /** A CPF or CNPJ without punctuation, in upper case. */
  readonly document: string;
  readonly type: CustomerType;
  readonly address?: Address;
  readonly email?: string;
  /** In the form E.164, such as +5511987654321. */
  readonly phone?: string;
};

/** The caller's own texts under the caller's own names; at least one. */
export type Metadata = Readonly<Record<string, string>>;

/** The input of `createCharge`. */
export type NewCharge = {
  readonly accountId: string;
  readonly amountCents: bigint;
  readonly currency: Currency;
  readonly methods: readonly Method[];
  readonly customer: Customer;
  /** The customer on record whose data of now `customer` is, where the caller named one by its id. */
  readonly customerId?: string;
  readonly dueAt: Date;
  readonly expireAt?: Date;
  readonly externalId?: string;
  readonly sourceKey?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  /** Percents as decimal text: the fine once on the amount, the interest per month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
} & Reductions;

/** A request for a charge. `customer` is absent when `customerId` names no customer of the account. */
export type ChargeRequest = Omit<NewCharge, 'customer'> & { readonly customer?: Customer };

/** The fields that the rules need, as far as they could be read. A rule is checked only when all its fields are present. */
export type ChargeDraft = Partial<Pick<NewCharge, 'accountId' | 'amountCents' | 'methods' | 'dueAt' | 'expireAt'>> &
  Reductions & {
    readonly customer?: Partial<Pick<Customer, 'document' | 'address'>>;
  };

/** The exchange rate of a charge in another currency, locked when the charge was created. */
export type LockedRate = { readonly rate: string; readonly source: string; readonly at: Date };

export type ChargeTerms = Omit<NewCharge, 'methods'> & {
  readonly id: string;
  readonly payableCents: bigint;
  readonly lockedRate?: LockedRate;
  readonly expireAt: Date;
  /** When its pix ends, if before `expireAt`: the price of an order ends then. */
  readonly pixEndsAt?: Date;
  readonly createdAt: Date;
  /** The crypto order that this charge pays for. */
  readonly orderId?: string;
  /** The partly paid charge whose remainder this one asks for. */
  readonly remainderOf?: string;
  /** The instalment plan that it is a part of. */
  readonly instalment?: Instalment;
  /** The subscription that this charge is made for, and the number of its cycle. */
  readonly subscriptionId?: string;
  readonly cycleNumber?: number;
  /** An order is made of its money once it is paid. */
  readonly isForCrypto?: true;
};

/** Which of the charges of a plan this one is, counted from 1. */
type Instalment = { readonly planId: string; readonly number: number };

/** A method by which a charge can be paid, with its rail, status and instrument. */
export type ChargeMethod<M extends Method = Method> = {
  readonly method: M;
  readonly rail: string;
  readonly status: MethodStatus;
  /** The rail's id for it: the txid of a pix, the nosso número of a boleto. Absent when the rail refused it at once. */
  readonly reference?: string;
  /** What the payer pays with. Where only the bank can make it, absent until it has. */
  readonly instrument?: Instruments[M];
  /** The location at the bank that its code already names. Not in any view. */
  readonly location?: Location;
  /** The bank's id for it, where that is not the reference. Not in any view. */
  readonly bankId?: string;
  /** When it was last sent to its bank, and whether that was not the first time. Not in any view. */
  readonly sentAt?: Date;
  readonly isSentAgain?: true;
  readonly reason?: string;
};

/** Who reported a payment: a person, an imported statement, the bank of its rail, or a payer of the sandbox. */
export const PAYMENT_SOURCES = ['operator', 'statement', 'bank', 'sandbox'] as const;
export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

/** A payment that was received. */
export type Payment = {
  readonly id: string;
  readonly method: Method;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  readonly source: PaymentSource;
  /** The bank's id of the payment. A second report with the same reference is the same payment. */
  readonly reference: string;
  readonly timing: Timing;
  /** True when it is not the first payment of its charge. */
  readonly isRepeat: boolean;
  /** The final status of the method before the payment, if it had already ended. */
  readonly cameAfter?: CameAfter;
  /** The CPF or CNPJ of the payer as a statement shows it, with `*` for hidden digits. Not in any view. */
  readonly payerDocument?: string;
  /** The bank's fee, and the day on which it credits the rest, where it reports them. */
  readonly feeCents?: bigint;
  readonly creditDay?: CivilDay;
  /** What the bank took off the amount, where it reports that. */
  readonly discountCents?: bigint;
  readonly abatementCents?: bigint;
  /** The channel by which it was paid, as the bank's code, where it reports one. */
  readonly channel?: string;
  /** True for a boleto that was paid by its pix code. */
  readonly isByPix?: true;
  /** A bank reports such money twice, as a boleto and as a pix: the second reference, once known. Not in any view. */
  readonly alsoReportedAs?: string;
};

export const CAME_AFTER = [
  'EXPIRED',
  'CANCELED',
  'PAID_BY_OTHER_METHOD',
  'FAILED',
] as const satisfies readonly MethodStatus[];
export type CameAfter = (typeof CAME_AFTER)[number];

export const REFUND_STATUSES = ['PENDING', 'DONE', 'FAILED'] as const;

/** `refund`: requested here. `return`: the bank took the money back, for example after a fraud. */
export const REFUND_KINDS = ['refund', 'return'] as const;

/** Money that goes back out of one payment. It reduces the kept amount from the moment it begins, unless it fails. */
export type Refund = {
  readonly id: string;
  readonly kind: (typeof REFUND_KINDS)[number];
  readonly paymentId: string;
  readonly amountCents: bigint;
  readonly status: (typeof REFUND_STATUSES)[number];
  readonly reason?: string;
  /** The bank's id of a return. Not in any view. */
  readonly reference?: string;
  /** The dispute about a return that the payer's bank asked for. */
  readonly disputeId?: string;
  /** A person has recorded how that dispute ended, and the bank has not reported it. Not in any view. */
  readonly isUnconfirmed?: true;
  readonly createdAt: Date;
};

export const DUE_CHANGE_STATUSES = ['PENDING', 'DONE', 'FAILED'] as const;

/** A requested new due date. While it is pending, the charge keeps the old one. */
export type DueChange = {
  readonly dueAt: Date;
  readonly status: (typeof DUE_CHANGE_STATUSES)[number];
  readonly reason?: string;
};

/** The last charge that was made for the remainder of another one. */
export type Remainder = {
  readonly chargeId: string;
  readonly amountCents: bigint;
  readonly isPaid: boolean;
};

export type Rests = { readonly broughtCents: bigint; readonly returnedCents: bigint };

/** A charge with its state, methods, payments and refunds. */
export type Charge = ChargeTerms & {
  readonly state: ChargeState;
  readonly timing?: Timing;
  readonly paidAmount?: PaidAmount;
  /** The amount owed in reais on the day of the first payment, as the bank rounded its interest. */
  readonly owedCents?: bigint;
  /** Money has arrived, but never as much as was owed. */
  readonly isPaidInPart?: true;
  /** The bank of the payer was asked to pay it by a mandate. */
  readonly isCollected?: true;
  /** The charge for the remainder. */
  readonly remainder?: Remainder;
  /** What all charges for the remainder received, and how much of that went back. */
  readonly rests?: Rests;
  /** The part of its money that was converted into crypto and can no longer be refunded. */
  readonly committedCents: bigint;
  readonly eventCount: number;
  /** The last one. */
  readonly dueChange?: DueChange;
  /** Part of the link to its checkout: a higher one withdraws the links before. */
  readonly linkEpoch: number;
  readonly methods: readonly ChargeMethod[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
};

/** Whether the charge pays for a crypto order. */
export function isOrdered({ orderId }: Charge): boolean {
  return orderId !== undefined;
}

/** Whether the payer can get a charge for what is missing. An order has one charge, with all of its money. */
export function takesRemainder(charge: Charge): boolean {
  return !isOrdered(charge) && !charge.isForCrypto;
}

/** Whether the caller waits for the bank: for a code that only the bank can make, or until the code at a location can be paid. */
export function awaitsBank({ methods }: Pick<Charge, 'methods'>): boolean {
  return methods.some(methodAwaitsBank);
}

/** Such a method is requested as soon as the charge is written, so it is written as submitted. */
export function methodAwaitsBank({ status, instrument, location }: ChargeMethod): boolean {
  return status === 'CREATING' && (!instrument || location !== undefined);
}

export function isOf<M extends Method>(method: M) {
  return (candidate: ChargeMethod): candidate is ChargeMethod<M> => candidate.method === method;
}

/** When a method is due and when it expires: the pix of an order may end before the boleto beside it. */
export function datesOf({ dueAt, expireAt, pixEndsAt }: ChargeTerms, method: Method): { dueAt: Date; expireAt: Date } {
  if (!pixEndsAt || !ABILITIES[method].endsAtSecond) return { dueAt, expireAt };
  return { dueAt: pixEndsAt, expireAt: pixEndsAt };
}

/** What is taken off in reais; an amount in another currency is converted at the rate of the charge, truncated. */
export function payableReductions({ abatement, discounts, lockedRate }: ChargeTerms): Reductions {
  const inReais = <R extends Reduction>(reduction: R): R => {
    if (!lockedRate || !('amountCents' in reduction)) return reduction;
    return { ...reduction, amountCents: convertCentsDown(reduction.amountCents, lockedRate.rate) };
  };
  return {
    ...(abatement && { abatement: inReais(abatement) }),
    ...(discounts && { discounts: discounts.map(inReais) }),
  };
}

/** The part of a charge that the rail of a method needs. */
export function paymentRequest(charge: ChargeTerms & Pick<Charge, 'dueChange'>, method: Method): PaymentRequest {
  const { finePercent, interestPercent, description, customer, dueChange } = charge;
  const { dueAt, expireAt } = datesOf(charge, method);
  // Even after the bank refused the change, or seems to have: it may still have carried it out.
  const isAsked = dueChange !== undefined && dueChange.status !== 'DONE';
  return {
    id: charge.id,
    amountCents: charge.payableCents,
    createdAt: charge.createdAt,
    expireAt,
    dueDay: civilDay(dueAt),
    expireDay: civilDay(expireAt),
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    ...payableReductions(charge),
    ...(description !== undefined && { description }),
    ...(isAsked && { askedDueDay: civilDay(dueChange.dueAt) }),
    payer: {
      name: customer.name,
      document: customer.document,
      ...(customer.address && { address: { ...customer.address } }),
    },
  };
}

/** Whether the method ends at an exact time and is never overdue. */
export function isInstant(charge: ChargeTerms, method: Method): boolean {
  return ABILITIES[method].endsAtSecond && isInstantPix(paymentRequest(charge, method));
}

export function withInstrument(charge: Charge, method: Method, instrument: Instruments[Method]): Charge {
  const methods = charge.methods.map(candidate =>
    candidate.method === method ? { ...candidate, instrument } : candidate,
  );
  return { ...charge, methods };
}
