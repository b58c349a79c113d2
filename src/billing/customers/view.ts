// A customer as the API and its events show it. Its schema is `CustomerView` in api/; JSON leaves out what is undefined.
import { objectEvent } from '../../events/store.ts';
import type { Customer, CustomerEvent } from './customer.ts';

export function customerView(customer: Customer) {
  const { id, accountId, externalId, name, document, type, email, phone, address } = customer;
  const { isSeparate, locale, notes, metadata, createdAt, updatedAt, erasedAt } = customer;
  return {
    id,
    accountId,
    externalId,
    name,
    document,
    type,
    separate: isSeparate || undefined,
    email,
    phone,
    address,
    locale,
    notes,
    metadata,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    erasedAt: erasedAt?.toISOString(),
  };
}

/** An event that carries the customer as it is now. */
export function customerEvent(customer: Customer, type: CustomerEvent, at: Date) {
  return objectEvent(customer, type, at, customerView(customer));
}
