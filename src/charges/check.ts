// What a new charge is refused for, beyond the form of its single fields.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import type { Fault } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Address, ChargeDraft, CustomerType } from './charge.ts';

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
