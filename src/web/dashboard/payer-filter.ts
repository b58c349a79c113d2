// Filters by payer, method and amount, as people type them: a name, a CPF or a CNPJ; `1.234,56` or `1234.56`.

import { Type } from 'typebox';
import { OneOf, Text } from '../../api/schemas.ts';
import { isDocument, normaliseDocument } from '../../charges/create/check.ts';
import type { ChargeFilter } from '../../charges/store/filtered.ts';
import { type Fault, invalidRequest } from '../../lib/errors.ts';
import { METHODS_SHOWN } from '../../rails/abilities.ts';
import type { Filter } from './filters.ts';
import { centsIn } from './form.ts';
import { EXAMPLE_AMOUNT } from './formats.ts';

const METHOD_FILTERS = [
  ...METHODS_SHOWN.map(method => ({ value: method, label: `payable by ${method}`, filter: { method } })),
  ...METHODS_SHOWN.map(paidBy => ({ value: `paid_${paidBy}`, label: `paid by ${paidBy}`, filter: { paidBy } })),
];

export const payerParameters = {
  payer: Type.Optional(Text()),
  amountFrom: Type.Optional(Text()),
  amountTo: Type.Optional(Text()),
};
export const methodParameter = Type.Optional(OneOf(METHOD_FILTERS.map(({ value }) => value)));

const EXAMPLE = `such as ${EXAMPLE_AMOUNT}`;

export const PAYER_FILTERS: readonly Filter[] = [
  { name: 'payer', label: 'Payer', hint: 'name, CPF or CNPJ' },
  { name: 'amountFrom', label: 'Amount from (R$)', type: 'amount', hint: EXAMPLE },
  { name: 'amountTo', label: 'Amount to (R$)', type: 'amount', hint: EXAMPLE },
];

export const METHOD_FILTER: Filter = {
  name: 'method',
  label: 'Method',
  options: METHOD_FILTERS,
};

type Given = {
  readonly payer?: string | undefined;
  readonly amountFrom?: string | undefined;
  readonly amountTo?: string | undefined;
  readonly method?: string | undefined;
};

/** Reads the filter from the fields; undefined when all are empty. Refuses a wrong amount or document, naming its field. */
export function payerFilterIn({ payer, amountFrom, amountTo, method }: Given): ChargeFilter | undefined {
  const faults: Fault[] = [];
  const fromCents = amountIn('amountFrom', amountFrom, faults);
  const toCents = amountIn('amountTo', amountTo, faults);
  if (fromCents !== undefined && toCents !== undefined && toCents < fromCents)
    faults.push({ path: 'amountTo', code: 'before_from', message: 'must not be less than the lower amount' });
  const byMethod = METHOD_FILTERS.find(({ value }) => value === method)?.filter;
  const filter = { ...payerIn(payer, faults), fromCents, toCents, ...byMethod };
  if (faults.length > 0) throw invalidRequest(faults);
  return Object.values(filter).some(value => value !== undefined) ? filter : undefined;
}

function amountIn(path: string, text: string | undefined, faults: Fault[]): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const cents = centsIn(text.trim());
  if (typeof cents === 'number') return cents;
  faults.push({ path, code: 'invalid', message: `must be an amount in reais, such as 1.234,56 or 1234.56` });
  return undefined;
}

function payerIn(text: string | undefined, faults: Fault[]): { readonly name?: string; readonly document?: string } {
  const payer = text?.trim() ?? '';
  if (payer === '') return {};
  const document = normaliseDocument(payer);
  // A name may be as long as a CNPJ, but it does not end with check digits.
  if (isDocument(document)) return { document };
  if (/\p{L}/u.test(payer)) return { name: payer };
  faults.push({ path: 'payer', code: 'invalid', message: 'must be a part of a name, or a complete CPF or CNPJ' });
  return {};
}
