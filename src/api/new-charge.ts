// The body of POST /charges, and its mapping to a `NewCharge`.

import { type Static, Type } from 'typebox';
import type { ChargeDraft, ChargeRequest } from '../charges/charge.ts';
import { normaliseDocument } from '../charges/create/check.ts';
import type { SharedTerms } from '../charges/create/create.ts';
import { CURRENCIES } from '../lib/currency.ts';
import type { Fault } from '../lib/errors.ts';
import { METHODS } from '../rails/methods/methods.ts';
import { noteFields, toNotes } from './notes.ts';
import { PayerBody, toPayer } from './payers.ts';
import { decimalText } from './percents.ts';
import { reductionFields, toReductions } from './reductions.ts';
import { AccountId, DateTime, dateOf, OneOf, Text, Uuid } from './schemas.ts';
import type { DeepPartial } from './wire.ts';

/** Far above any lawful rate; more is a typing error. */
const MAX_PERCENT = 1_000_000;

export const MethodsBody = Type.Array(OneOf(METHODS), {
  minItems: 1,
  maxItems: METHODS.length,
  description: 'Methods of payment; repeated ones are ignored.',
});

export const Percent = (description: string) => Type.Number({ minimum: 0, maximum: MAX_PERCENT, description });

const EXAMPLE = {
  accountId: 'acme',
  externalId: 'order-1050',
  description: 'Order 1050',
  metadata: { store: 'Recife' },
  amountCents: 15_990,
  currency: 'BRL',
  methods: ['boleto', 'pix'],
  customer: {
    name: 'Maria da Silva',
    document: '529.982.247-25',
    type: 'individual',
    address: { street: 'Rua das Flores', number: '100', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
    email: 'maria@example.com',
    phone: '+5511987654321',
  },
  taxes: { fine: 2, interest: 1 },
  discounts: [{ percent: 5, until: '2026-11-30' }],
  dueAt: '2026-12-10T23:59:59-03:00',
};

export const ChargeBody = Type.Object(
  {
    accountId: AccountId({
      description: 'The account the charge belongs to. A sandbox opens an account it does not know.',
    }),
    externalId: Type.Optional(
      Text({ description: 'Your own id. A repeat for the same account returns the first charge.' }),
    ),
    sourceKey: Type.Optional(Text({ description: 'Your own name for where the charge comes from.' })),
    ...noteFields,
    amountCents: Type.Integer({ minimum: 1, description: 'Hundredths of the currency.' }),
    currency: OneOf(CURRENCIES, { description: 'USD and EUR are payable in reais at a rate locked now.' }),
    methods: MethodsBody,
    customer: Type.Optional(PayerBody),
    customerId: Type.Optional(
      Uuid({
        description: 'A customer of the account, instead of `customer`: its present data become those of the payer.',
      }),
    ),
    taxes: Type.Optional(
      Type.Object(
        {
          fine: Type.Optional(Percent('Percent of the amount, charged once, from the first late day.')),
          interest: Type.Optional(Percent('Percent per month, charged by the day, a thirtieth each.')),
        },
        { additionalProperties: false },
      ),
    ),
    ...reductionFields,
    dueAt: DateTime({ description: 'RFC 3339, any offset.' }),
    expireAt: Type.Optional(DateTime({ description: 'Not before dueAt; 30 days after it when absent.' })),
  },
  { $id: 'NewCharge', additionalProperties: false, examples: [EXAMPLE] },
);
export type ChargeBody = Static<typeof ChargeBody>;

/** The charge of a body. */
export function toChargeRequest({ amountCents, dueAt, expireAt, ...body }: ChargeBody): ChargeRequest {
  return {
    ...toSharedTerms(body),
    amountCents: BigInt(amountCents),
    ...toReductions(body),
    dueAt: dateOf(dueAt),
    ...(expireAt !== undefined && { expireAt: dateOf(expireAt) }),
  };
}

/** The terms that several charges of one body share, apart from amounts and days. */
export function toSharedTerms({
  taxes = {},
  ...body
}: Omit<ChargeBody, 'amountCents' | 'dueAt' | 'expireAt'>): SharedTerms {
  const { accountId, externalId, sourceKey, currency, methods, customer, customerId } = body;
  return {
    accountId,
    currency,
    methods: [...new Set(methods)],
    ...(customer && { customer: toPayer(customer) }),
    ...(customerId !== undefined && { customerId }),
    ...(externalId !== undefined && { externalId }),
    ...(sourceKey !== undefined && { sourceKey }),
    ...toNotes(body),
    ...(taxes.fine !== undefined && { finePercent: decimalText(taxes.fine) }),
    ...(taxes.interest !== undefined && { interestPercent: decimalText(taxes.interest) }),
  };
}

/** What the schema cannot express: a charge has a payer or a stored customer, not both. */
export function checkWhoPays({ given: { body } }: { readonly given: { readonly body: unknown } }): Fault[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const isGiven = { customer: 'customer' in body, customerId: 'customerId' in body };
  if (!isGiven.customer && !isGiven.customerId) {
    return [{ path: 'customer', code: 'required', message: 'is required, or customerId instead' }];
  }
  if (!isGiven.customer || !isGiven.customerId) return [];
  return [{ path: 'customerId', code: 'not_together', message: 'must not come together with customer' }];
}

/** The fields that the rules of a charge check, of a body with other faults. */
export function toChargeDraft(body: DeepPartial<ChargeBody>): ChargeDraft {
  const { accountId, amountCents, methods, customer, dueAt, expireAt, abatement, discounts } = body;
  return {
    ...(amountCents !== undefined && { amountCents: BigInt(amountCents) }),
    ...toReductions({ abatement, discounts }),
    ...(accountId !== undefined && { accountId }),
    ...(methods && { methods }),
    ...(customer && {
      customer: {
        ...(customer.document !== undefined && { document: normaliseDocument(customer.document) }),
        ...(customer.address && { address: customer.address }),
      },
    }),
    ...(dueAt !== undefined && { dueAt: dateOf(dueAt) }),
    ...(expireAt !== undefined && { expireAt: dateOf(expireAt) }),
  };
}
