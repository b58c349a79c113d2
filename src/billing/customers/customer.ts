// A customer: whom an account charges again and again. New charges take its data of that moment. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { Address, CustomerType, Metadata, Customer as Payer } from '../../charges/charge.ts';

/** The languages of mails to a customer. */
export const LOCALES = ['pt-BR', 'en'] as const;
export type Locale = (typeof LOCALES)[number];

export const CUSTOMER_EVENTS = ['customer.created', 'customer.updated', 'customer.erased'] as const;
export type CustomerEvent = (typeof CUSTOMER_EVENTS)[number];

/** What the caller gives; what is absent is not known. */
type Given = {
  readonly externalId?: string;
  readonly email?: string;
  /** In the form E.164. */
  readonly phone?: string;
  readonly address?: Address;
  readonly locale?: Locale;
  readonly notes?: string;
  readonly metadata?: Metadata;
};

type Identity = {
  readonly name: string;
  /** A CPF or CNPJ without punctuation, in upper case; zeros once the customer was erased. */
  readonly document: string;
  readonly type: CustomerType;
};

export type Customer = Identity &
  Given & {
    readonly id: string;
    readonly accountId: string;
    /** The caller asked for it beside the customer that the document may have. */
    readonly isSeparate: boolean;
    readonly eventCount: number;
    readonly createdAt: Date;
    readonly updatedAt: Date;
    readonly erasedAt?: Date;
  };

/** The input of `createCustomer`. A name may be left out of a request for a customer that exists. */
export type NewCustomer = Pick<Identity, 'document'> &
  Partial<Identity> &
  Given & { readonly accountId: string; readonly isSeparate: boolean };

/** What a change names; null removes it. */
export type CustomerChanges = Partial<Identity> & {
  readonly [field in keyof Given]?: Given[field] | null;
};

const DATA_FIELDS = [
  ...(['name', 'document', 'type'] as const),
  ...(['externalId', 'email', 'phone', 'address', 'locale', 'notes', 'metadata'] as const),
] satisfies (keyof CustomerChanges)[];

/** The fields that are given and differ from what the customer has. */
export function differingFields(customer: Customer, given: CustomerChanges): string[] {
  return DATA_FIELDS.filter(
    field => given[field] !== undefined && !isDeepStrictEqual(given[field], customer[field] ?? null),
  );
}

/** What stands where a name was. */
const ERASED = 'erased';

/** Without what names or describes a person. */
export function erased(customer: Customer, at: Date): Customer {
  const { id, accountId, isSeparate, externalId, type, document, eventCount, createdAt } = customer;
  return {
    ...{ id, accountId, isSeparate, type, eventCount, createdAt },
    ...(externalId !== undefined && { externalId }),
    name: ERASED,
    document: '0'.repeat(document.length),
    updatedAt: at,
    erasedAt: at,
  };
}

/** Who pays a charge of the customer: its data of now. */
export function payerOf({ name, document, type, address, email, phone }: Customer): Payer {
  return {
    ...{ name, document, type },
    ...(address && { address }),
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
  };
}
