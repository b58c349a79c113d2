// Who pays: as a request names them, as an answer shows them.
import { type Static, Type } from 'typebox';
import { CUSTOMER_TYPES, type Customer, type CustomerType } from '../charges/charge.ts';
import { inferCustomerType, normaliseDocument } from '../charges/create/check.ts';
import { Email, LooseText, OneOf, Phone, Text } from './schemas.ts';

/** Further names for a company, as other services call it. */
const ACCEPTED_TYPES = [...CUSTOMER_TYPES, 'business', 'corporation'] as const;

const Address = Type.Object(
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

export const CustomerBody = Type.Object(
  {
    name: Text(),
    document: Text({ description: 'CPF or CNPJ, punctuation allowed.', maxLength: 32 }),
    type: Type.Optional(OneOf(ACCEPTED_TYPES, { description: 'Inferred from the document when absent.' })),
    address: Type.Optional(Address),
    email: Type.Optional(Email({ description: 'At most 254 characters.' })),
    phone: Type.Optional(Phone({ description: 'E.164: a plus sign and 8 to 15 digits, such as +5511987654321.' })),
  },
  { additionalProperties: false },
);
export type CustomerBody = Static<typeof CustomerBody>;

export const CustomerView = Type.Object(
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

/** The customer of a body as the noun takes it. */
export function toCustomer({ name, document, type, address, email, phone }: CustomerBody): Customer {
  const normalised = normaliseDocument(document);
  return {
    name,
    document: normalised,
    type: toCustomerType(type, normalised),
    ...(address && { address }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
  };
}

function toCustomerType(type: CustomerBody['type'], document: string): CustomerType {
  if (type === undefined) return inferCustomerType(document);
  return type === 'individual' ? 'individual' : 'company';
}
