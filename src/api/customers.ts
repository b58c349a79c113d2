// Customers: whom an account charges again and again.
import { type Static, Type } from 'typebox';
import { type CustomerChanges as Changes, LOCALES, type NewCustomer } from '../billing/customers/customer.ts';
import { CUSTOMER_TYPES } from '../charges/charge.ts';
import { normaliseDocument } from '../charges/create/check.ts';
import { BALANCE_EXAMPLE, Balance } from './balance.ts';
import { Metadata, MetadataView } from './notes.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { Address, payerFields, toPayerType } from './payers.ts';
import { AccountId, DateTime, OneOf, optional, orNull, Ref, Text, Uuid } from './schemas.ts';

const MAX_NOTES_LENGTH = 2_000;

const given = {
  externalId: Text({ description: 'Your own id. A repeat for the same account returns the first customer.' }),
  email: payerFields.email,
  phone: payerFields.phone,
  address: payerFields.address,
  locale: OneOf(LOCALES, { description: 'The language of mails to the customer.' }),
  notes: Text({ maxLength: MAX_NOTES_LENGTH, description: 'For your own use: the customer never sees them.' }),
  metadata: Metadata,
};

const EXAMPLE = {
  accountId: 'acme',
  externalId: 'client-77',
  name: 'Maria da Silva',
  document: '529.982.247-25',
  email: 'maria@example.com',
  phone: '+5511987654321',
  address: { street: 'Rua das Flores', number: '100', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
  locale: 'pt-BR',
};

export const CustomerBody = Type.Object(
  {
    accountId: AccountId({
      description: 'The account the customer belongs to. A sandbox opens an account it does not know.',
    }),
    name: Type.Optional(Text({ description: 'Required for a new customer; optional for an existing one.' })),
    document: payerFields.document,
    type: Type.Optional(payerFields.type),
    ...optional(given),
    separate: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'True creates a separate customer even if the account has one with this document. Only charges created with its id are its own.',
      }),
    ),
  },
  { $id: 'NewCustomer', additionalProperties: false, examples: [EXAMPLE] },
);
export type CustomerBody = Static<typeof CustomerBody>;

export const CustomerChanges = Type.Object(
  {
    name: Type.Optional(payerFields.name),
    document: Type.Optional(payerFields.document),
    type: Type.Optional(payerFields.type),
    externalId: orNull(given.externalId),
    email: orNull(given.email),
    phone: orNull(given.phone),
    address: orNull(given.address),
    locale: orNull(given.locale),
    notes: orNull(given.notes),
    metadata: orNull(given.metadata),
  },
  {
    $id: 'CustomerChanges',
    additionalProperties: false,
    examples: [{ email: 'maria@example.org', notes: null }],
  },
);
export type CustomerChanges = Static<typeof CustomerChanges>;

const view = {
  id: Uuid(),
  accountId: Type.String(),
  externalId: Type.Optional(Type.String()),
  name: Type.String(),
  document: Type.String({ description: 'Without punctuation; zeros once the customer was erased.' }),
  type: OneOf(CUSTOMER_TYPES),
  separate: Type.Optional(Type.Boolean({ description: 'True when it was created as a separate customer.' })),
  email: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  address: Type.Optional(Address),
  locale: Type.Optional(OneOf(LOCALES)),
  notes: Type.Optional(Type.String()),
  metadata: Type.Optional(MetadataView),
  createdAt: DateTime(),
  updatedAt: DateTime(),
  erasedAt: Type.Optional(DateTime({ description: 'When the personal data was deleted; new charges cannot name it.' })),
};

export const CustomerView = Type.Object(view, { $id: 'Customer', additionalProperties: false });

export const CustomerDetail = Type.Object(
  {
    ...view,
    balance: Balance('In reais, exact, over all charges of the customer.'),
  },
  { $id: 'CustomerDetail', additionalProperties: false },
);

export const CustomersQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only customers of this account.' })),
    search: Type.Optional(
      Text({
        description:
          'Beginnings of words of the name, the e-mail, the document and your own id, regardless of case and accents. Or a complete document with or without punctuation.',
      }),
    ),
    document: Type.Optional(Text({ maxLength: 32, description: 'Only customers of this CPF or CNPJ.' })),
    email: Type.Optional(Text({ description: 'Only customers with this whole e-mail address, in any case.' })),
    externalId: Type.Optional(Text({ description: 'Only customers with this id of yours.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const CustomersPage = Type.Object(
  { customers: Type.Array(Ref(CustomerView)), ...pageCounts },
  { $id: 'CustomersPage', additionalProperties: false },
);

export const CUSTOMER_SCHEMAS = [CustomerBody, CustomerChanges, CustomerView, CustomerDetail, CustomersPage];

export const CUSTOMER_EXAMPLE: Static<typeof CustomerView> = {
  id: '019a7c52-0b1e-7c3d-8a55-2e4d6f8091b3',
  ...EXAMPLE,
  document: '52998224725',
  type: 'individual',
  locale: 'pt-BR',
  createdAt: '2026-11-16T06:33:20.240Z',
  updatedAt: '2026-11-16T06:33:20.240Z',
};

export const CUSTOMER_DETAIL_EXAMPLE: Static<typeof CustomerDetail> = {
  ...CUSTOMER_EXAMPLE,
  balance: BALANCE_EXAMPLE,
};

export const CUSTOMERS_EXAMPLE: Static<typeof CustomersPage> = { customers: [CUSTOMER_EXAMPLE], ...ONE_PAGE };

/** The customer that a body asks for. */
export function toNewCustomer({ separate = false, document, type, ...body }: CustomerBody): NewCustomer {
  const normalised = normaliseDocument(document);
  return {
    ...body,
    document: normalised,
    isSeparate: separate,
    ...(type !== undefined && { type: toPayerType(type, normalised) }),
  };
}

export function toChanges({ document, type, ...body }: CustomerChanges): Changes {
  const normalised = document === undefined ? undefined : normaliseDocument(document);
  return {
    ...body,
    ...(normalised !== undefined && { document: normalised }),
    ...(type !== undefined && { type: type === 'individual' ? 'individual' : 'company' }),
  };
}
