// A charge: its words, its states, and what it refuses. Nothing here reads a database or a clock of its own.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { civilDay } from '../lib/civil-days.ts';
import type { Currency } from '../lib/currency.ts';
import type { Fault } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
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

/** Where each status may lead. Money that comes late still counts. Drawn in docs/states.md. */
export const METHOD_TRANSITIONS = {
  CREATING: ['ACTIVE', 'REGISTERED', 'FAILED'],
  ACTIVE: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
  REGISTERED: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
  OVERDUE: ['PAID', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
  PAID: ['SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
  SETTLED: [],
  PARTIALLY_REFUNDED: ['REFUNDED'],
  REFUNDED: [],
  FAILED: [],
  EXPIRED: ['PAID'],
  CANCELED: ['PAID'],
  PAID_BY_OTHER_METHOD: [],
} as const satisfies Record<MethodStatus, readonly MethodStatus[]>;

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
};

/** One way to pay a charge. */
export type ChargeMethod<M extends Method = Method> = {
  readonly method: M;
  readonly rail: string;
  readonly status: MethodStatus;
  readonly instrument?: Instruments[M];
  readonly reason?: string;
};

export function isOf<M extends Method>(method: M) {
  return (candidate: ChargeMethod): candidate is ChargeMethod<M> => candidate.method === method;
}

/** A charge as a rail sees it. */
export function paymentRequest({ id, payableCents, dueAt }: Charge): PaymentRequest {
  return { id, amountCents: payableCents, dueDay: civilDay(dueAt) };
}

/** Everything wrong with a draft, as far as rules beyond a single field's form go. */
export function checkCharge(draft: ChargeDraft, { mode, now }: { mode: Mode; now: Date }): Fault[] {
  const faults: Fault[] = [];
  const { dueAt, expireAt, methods, customer } = draft;
  if (dueAt && expireAt && expireAt < dueAt) {
    faults.push({ path: 'expireAt', code: 'before_due_date', message: 'must not be earlier than dueAt' });
  }
  if (customer?.document !== undefined) faults.push(...checkDocument(customer.document, mode));
  if (mode === 'live') {
    if (dueAt && dueAt < now) faults.push({ path: 'dueAt', code: 'in_the_past', message: 'must not be in the past' });
    if (methods?.includes('boleto') && customer) faults.push(...checkBoletoAddress(customer.address ?? {}));
  }
  return faults;
}

const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;

/** A document as it is kept: without punctuation, in upper case. */
export function normaliseDocument(text: string): string {
  // Only ASCII is raised: ß would become SS, and pass for two letters of a CNPJ.
  return text.replace(/[.\-/\s]/g, '').replace(/[a-z]+/g, letters => letters.toUpperCase());
}

export function inferCustomerType(document: string): CustomerType {
  return CPF.test(document) ? 'individual' : 'company';
}

function checkDocument(document: string, mode: Mode): Fault[] {
  const path = 'customer.document';
  if (!CPF.test(document) && !CNPJ.test(document)) {
    return [{ path, code: 'not_a_document', message: 'must be a CPF (11 digits) or a CNPJ (14 characters)' }];
  }
  // Sandbox takes invented documents; live does not.
  if (mode === 'live' && !isValidCpf(document) && !isValidCnpj(document, { version: 2 })) {
    return [{ path, code: 'wrong_check_digits', message: 'has wrong check digits' }];
  }
  return [];
}

/** A bank registers a boleto only for a payer with an address. */
function checkBoletoAddress(address: Address): Fault[] {
  const needed = ['street', 'city', 'state', 'postalCode'] as const;
  return needed
    .filter(field => !address[field])
    .map(field => ({ path: `customer.address.${field}`, code: 'required', message: 'is required for a boleto' }));
}
