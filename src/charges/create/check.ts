// The rules for a new charge that go beyond the form of single fields.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import type { Fault } from '../../lib/errors.ts';
import type { ChargeDraft, CustomerType } from '../charge.ts';
import { checkPastDiscounts, checkReductions } from './check-reductions.ts';

/** The rules that can be switched off. A sandbox does so, so that callers can try any request. */
export type ChargeRules = {
  /** CPF and CNPJ must have valid check digits, not only the right shape. */
  readonly checksDigits: boolean;
  /** A charge must not be due before its creation, nor have a discount that has ended by then. */
  readonly refusesPastDueDates: boolean;
};

/** For real banks and real payers. */
export const STRICT_CHARGE_RULES: ChargeRules = {
  checksDigits: true,
  refusesPastDueDates: true,
};

/** PostgreSQL has no year 0. */
const FIRST_DUE_AT = new Date('0001-01-01T00:00:00Z');

type CheckDeps = { readonly chargeRules: ChargeRules };

/** All faults of a draft, except those in the form of single fields. */
export function checkCharge({ chargeRules: rules }: CheckDeps, draft: ChargeDraft, now: Date): Fault[] {
  const faults: Fault[] = [];
  const { amountCents, dueAt, expireAt, customer } = draft;
  if (dueAt && expireAt && expireAt < dueAt) {
    faults.push({ path: 'expireAt', code: 'before_due_date', message: 'must not be earlier than dueAt' });
  }
  if (customer?.document !== undefined) faults.push(...checkDocument(customer.document, rules, 'customer.document'));
  if (dueAt && dueAt < FIRST_DUE_AT) {
    faults.push({ path: 'dueAt', code: 'in_the_past', message: 'must not be before the year 1' });
  } else if (rules.refusesPastDueDates && dueAt && dueAt < now) {
    faults.push({ path: 'dueAt', code: 'in_the_past', message: 'must not be in the past' });
  }
  if (rules.refusesPastDueDates) faults.push(...checkPastDiscounts(draft, now));
  if (amountCents !== undefined && dueAt) faults.push(...checkReductions({ ...draft, amountCents, dueAt }, now));
  return faults;
}

const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;

/** A document as it is stored: without punctuation, in upper case. */
export function normaliseDocument(text: string): string {
  // Only ASCII letters are converted: ß would become SS and pass as two letters of a CNPJ.
  return text.replace(/[.\-/\s]/g, '').replace(/[a-z]+/g, letters => letters.toUpperCase());
}

export function inferCustomerType(document: string): CustomerType {
  return CPF.test(document) ? 'individual' : 'company';
}

/** In the form in which a document is stored. */
export const isDocument = (text: string) => CPF.test(text) || CNPJ.test(text);

export const hasRightDigits = (document: string) => isValidCpf(document) || isValidCnpj(document, { version: 2 });

/** The faults of a document in the form in which one is stored, at this path of the request. */
export function checkDocument(document: string, { checksDigits }: ChargeRules, path: string): Fault[] {
  if (!isDocument(document)) {
    return [{ path, code: 'not_a_document', message: 'must be a CPF (11 digits) or a CNPJ (14 characters)' }];
  }
  if (checksDigits && !hasRightDigits(document)) {
    return [{ path, code: 'wrong_check_digits', message: 'has wrong check digits' }];
  }
  return [];
}
