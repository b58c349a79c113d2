// Payers in requests and answers.
import { type Static, Type } from 'typebox';
import { CUSTOMER_TYPES, type Customer, type CustomerType } from '../charges/charge.ts';
import { inferCustomerType, normaliseDocument } from '../charges/create/check.ts';
import { Email, LooseText, OneOf, Phone, Text } from './schemas.ts';

/** Names of other services for a company. */
const ACCEPTED_TYPES = [...CUSTOMER_TYPES, 'business', 'corporation'] as const;

export const Address = Type.Object(
  {
    street: Type.Optional(LooseText()),
    number: Type.Optional(LooseText()),
    postalCode: Type.Optional(LooseText()),
    city: Type.Optional(LooseText()),
    countryCode: Type.Optional(LooseText()),
    complement: Type.Optional(LooseText()),
    neighborhood: Type.Optional(LooseText()),
    state: Type.Optional(LooseText()),
  },
  { additionalProperties: false },
);

export const payerFields = {
  name: Text(),
  document: Text({ description: 'CPF or CNPJ, punctuation allowed.', maxLength: 32 }),
  type: OneOf(ACCEPTED_TYPES, { description: 'Inferred from the document when absent.' }),
  address: Address,
  email: Email({ description: 'At most 254 characters.' }),
  phone: Phone({ description: 'E.164: a plus sign and 8 to 15 digits, such as +5511987654321.' }),
};

export const PayerBody = Type.Object(
  {
    name: payerFields.name,
    document: payerFields.document,
    type: Type.Optional(payerFields.type),
    address: Type.Optional(payerFields.address),
    email: Type.Optional(payerFields.email),
    phone: Type.Optional(payerFields.phone),
  },
  { additionalProperties: false },
);
export type PayerBody = Static<typeof PayerBody>;

export const PayerView = Type.Object(
  {
    name: Type.String(),
    document: Type.String({ description: 'Without punctuation.' }),
    type: OneOf(CUSTOMER_TYPES),
    address: Type.Optional(Address),
    email: Type.Optional(Type.String()),
    phone: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** The customer of a body, for the noun. */
export function toPayer({ name, document, type, address, email, phone }: PayerBody): Customer {
  const normalised = normaliseDocument(document);
  return {
    name,
    document: normalised,
    type: toPayerType(type, normalised),
    ...(address && { address }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
  };
}

export function toPayerType(type: PayerBody['type'], document: string): CustomerType {
  if (type === undefined) return inferCustomerType(document);
  return type === 'individual' ? 'individual' : 'company';
}
