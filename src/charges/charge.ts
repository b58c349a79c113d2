// A charge: its words and its states. Nothing here reads a database or a clock of its own.
import { civilDay } from '../lib/civil-days.ts';
import type { Currency } from '../lib/currency.ts';
import type { Instruments, Method, PaymentRequest } from '../rails/rail.ts';

export const METHOD_STATUSES = [
  'CREATING',
  'ACTIVE',
  'REGISTERED',
  'PAID',
  'SETTLED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'FAILED',
  'OVERDUE',
  'EXPIRED',
  'CANCELED',
  'PAID_BY_OTHER_METHOD',
] as const;
export type MethodStatus = (typeof METHOD_STATUSES)[number];

/** Where each status of a method may lead. Money that comes late still counts. Drawn in docs/states.md. */
export const METHOD_TRANSITIONS = {
  pix: {
    CREATING: ['ACTIVE', 'FAILED', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    ACTIVE: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    OVERDUE: ['PAID', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    EXPIRED: ['PAID'],
    CANCELED: ['PAID'],
    PAID: ['PARTIALLY_REFUNDED', 'REFUNDED'],
    // Money may come again after money went back.
    PARTIALLY_REFUNDED: ['PAID', 'REFUNDED'],
    REFUNDED: ['PAID', 'PARTIALLY_REFUNDED'],
    FAILED: [],
    PAID_BY_OTHER_METHOD: [],
  },
  boleto: {
    CREATING: ['REGISTERED', 'FAILED', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    REGISTERED: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    OVERDUE: ['PAID', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    EXPIRED: ['PAID'],
    CANCELED: ['PAID'],
    PAID: ['SETTLED'],
    SETTLED: [],
    FAILED: [],
    PAID_BY_OTHER_METHOD: [],
  },
} as const satisfies Record<Method, { readonly [status in MethodStatus]?: readonly MethodStatus[] }>;

/** What a charge as a whole is: the furthest of its methods, and its money. */
export const CHARGE_STATES = [
  'CREATING',
  'ACTIVE',
  'OVERDUE',
  'PAID',
  'SETTLED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'EXPIRED',
  'CANCELED',
  'FAILED',
] as const;
export type ChargeState = (typeof CHARGE_STATES)[number];

export type Timing = 'on_time' | 'late';
export type PaidAmount = 'exact' | 'partial' | 'over';

/** What a method is called once its rail has taken it. */
export const OPEN_STATUS = { pix: 'ACTIVE', boleto: 'REGISTERED' } as const satisfies Record<Method, MethodStatus>;

export const ADDRESS_FIELDS = [
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

export type CustomerType = 'individual' | 'company';

export type Customer = {
  readonly name: string;
  /** A CPF or CNPJ without punctuation, in upper case. */
  readonly document: string;
  readonly type: CustomerType;
  readonly address?: Address;
};

/** What a caller asks for. */
export type NewCharge = {
  readonly accountId: string;
  readonly amountCents: bigint;
  readonly currency: Currency;
  readonly methods: readonly Method[];
  readonly customer: Customer;
  readonly dueAt: Date;
  readonly expireAt?: Date;
  readonly externalId?: string;
  readonly sourceKey?: string;
  /** Percents as decimal text: of the amount, once, and a month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
};

/** A charge as far as its fields could be read: each rule speaks when all it needs is there. */
export type ChargeDraft = Partial<Omit<NewCharge, 'customer'>> & { readonly customer?: Partial<Customer> };

/** The rate at which a charge in another currency became payable in reais, locked when it was made. */
export type LockedRate = { readonly rate: string; readonly source: string; readonly at: Date };

export type Charge = NewCharge & {
  readonly id: string;
  readonly payableCents: bigint;
  readonly lockedRate?: LockedRate;
  readonly expireAt: Date;
  readonly createdAt: Date;
  /** The order of crypto that waits for its money. */
  readonly transactionId?: string;
};

/** One way to pay a charge. */
export type ChargeMethod<M extends Method = Method> = {
  readonly method: M;
  readonly rail: string;
  readonly status: MethodStatus;
  readonly instrument?: Instruments[M];
  readonly reason?: string;
};

/** Money that came. */
export type Payment = {
  readonly id: string;
  readonly method: Method;
  readonly amountCents: bigint;
  readonly paidAt: Date;
  /** Who told us: the sandbox, an operator, a statement. */
  readonly source: string;
  /** The bank's own word for it; the same payment told twice is one payment. */
  readonly reference: string;
  readonly timing: Timing;
  /** True when the charge was paid already. */
  readonly isRepeat: boolean;
  /** What had ended the method before the money came, when something had. */
  readonly cameAfter?: CameAfter;
};

export const CAME_AFTER = ['EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'] as const satisfies readonly MethodStatus[];
export type CameAfter = (typeof CAME_AFTER)[number];

export const REFUND_STATUSES = ['PENDING', 'DONE', 'FAILED'] as const;

/** Money that goes back, out of one payment. It counts from the moment it is asked for, unless it fails. */
export type Refund = {
  readonly id: string;
  readonly paymentId: string;
  readonly amountCents: bigint;
  readonly status: (typeof REFUND_STATUSES)[number];
  readonly reason?: string;
  readonly createdAt: Date;
};

/** A charge with all that happened to it. */
export type LivingCharge = Charge & {
  readonly state: ChargeState;
  readonly timing?: Timing;
  readonly paidAmount?: PaidAmount;
  /** What was owed in reais on the day the first money came. */
  readonly owedCents?: bigint;
  /** How much of its money has been turned into crypto, and cannot go back. */
  readonly committedCents: bigint;
  readonly eventCount: number;
  readonly ways: readonly ChargeMethod[];
  readonly payments: readonly Payment[];
  readonly refunds: readonly Refund[];
};

/** Whether an order of crypto waits for its money. */
export function isOrdered({ transactionId }: Charge): boolean {
  return transactionId !== undefined;
}

export function isOf<M extends Method>(method: M) {
  return (candidate: ChargeMethod): candidate is ChargeMethod<M> => candidate.method === method;
}

/** A charge as a rail sees it. */
export function paymentRequest(charge: Charge): PaymentRequest {
  const { finePercent, interestPercent, customer } = charge;
  return {
    id: charge.id,
    amountCents: charge.payableCents,
    dueDay: civilDay(charge.dueAt),
    expireDay: civilDay(charge.expireAt),
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    payer: {
      name: customer.name,
      document: customer.document,
      ...(customer.address && { address: { ...customer.address } }),
    },
  };
}

export function withInstrument(charge: LivingCharge, method: Method, instrument: Instruments[Method]): LivingCharge {
  return { ...charge, ways: charge.ways.map(way => (way.method === method ? { ...way, instrument } : way)) };
}
