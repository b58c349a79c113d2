// Filters by who pays, how, and how much, as people type them: a name, a CPF or a CNPJ; `1.234,56` or `1234.56`.

import { Type } from 'typebox';
import { OneOf, Text } from '../../api/schemas.ts';
import { isDocument, normaliseDocument } from '../../charges/create/check.ts';
import type { ChargeFilter } from '../../charges/store/filtered.ts';
import { type Fault, invalidRequest } from '../../lib/errors.ts';
import type { Method } from '../../rails/rail.ts';
import type { Filter } from './filters.ts';
import { centsIn } from './form.ts';
import { EXAMPLE_AMOUNT } from './formats.ts';

const METHOD_FILTERS = ['pix', 'boleto', 'paid_pix', 'paid_boleto'] as const;

export const payerParameters = {
  payer: Type.Optional(Text()),
  amountFrom: Type.Optional(Text()),
  amountTo: Type.Optional(Text()),
};
export const methodParameter = Type.Optional(OneOf(METHOD_FILTERS));

const EXAMPLE = `such as ${EXAMPLE_AMOUNT}`;

export const PAYER_FILTERS: readonly Filter[] = [
  { name: 'payer', label: 'Payer', hint: 'name, CPF or CNPJ' },
  { name: 'amountFrom', label: 'Amount from (R$)', type: 'amount', hint: EXAMPLE },
  { name: 'amountTo', label: 'Amount to (R$)', type: 'amount', hint: EXAMPLE },
];

export const METHOD_FILTER: Filter = {
  name: 'method',
  label: 'Method',
  options: [
    { value: 'pix', label: 'payable by pix' },
    { value: 'boleto', label: 'payable by boleto' },
    { value: 'paid_pix', label: 'paid by pix' },
    { value: 'paid_boleto', label: 'paid by boleto' },
  ],
};

type Given = {
  readonly payer?: string | undefined;
  readonly amountFrom?: string | undefined;
  readonly amountTo?: string | undefined;
  readonly method?: (typeof METHOD_FILTERS)[number] | undefined;
};

const METHODS_OF: Readonly<Record<NonNullable<Given['method']>, { method?: Method; paidBy?: Method }>> = {
  pix: { method: 'pix' },
  boleto: { method: 'boleto' },
  paid_pix: { paidBy: 'pix' },
  paid_boleto: { paidBy: 'boleto' },
};

/** The filter that the fields mean; undefined when all are empty. Refuses a wrong amount or document, by the name of its field. */
export function payerFilterIn({ payer, amountFrom, amountTo, method }: Given): ChargeFilter | undefined {
  const faults: Fault[] = [];
  const fromCents = amountIn('amountFrom', amountFrom, faults);
  const toCents = amountIn('amountTo', amountTo, faults);
  if (fromCents !== undefined && toCents !== undefined && toCents < fromCents)
    faults.push({ path: 'amountTo', code: 'before_from', message: 'must not be less than the amount it begins from' });
  const filter = { ...payerIn(payer, faults), fromCents, toCents, ...(method !== undefined && METHODS_OF[method]) };
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
  // A name may have as many letters as a CNPJ has signs, but it does not end with its check digits.
  if (isDocument(document)) return { document };
  if (/\p{L}/u.test(payer)) return { name: payer };
  faults.push({ path: 'payer', code: 'invalid', message: 'must be a part of a name, or a whole CPF or CNPJ' });
  return {};
}
