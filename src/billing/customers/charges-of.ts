// What ties charges to customers: who pays a charge that names a customer, and which charges are a customer's.
import type { Charge, ChargeRequest } from '../../charges/charge.ts';
import type { OfCustomer } from '../../charges/store/of-customer.ts';
import type { Sql } from '../../storage/database.ts';
import { type Customer, payerOf } from './customer.ts';
import { findByDocument, findCustomer } from './store.ts';

/**
 * The request with the data of now of the customer that it names by its id; without a payer when the account has no such customer, or it
 * was erased.
 */
export async function withPayer<R extends Pick<ChargeRequest, 'accountId' | 'customerId' | 'customer'>>(
  sql: Sql,
  request: R,
): Promise<R> {
  const { accountId, customerId } = request;
  if (customerId === undefined) return request;
  const customer = await findCustomer(sql, customerId, accountId);
  return customer && !customer.erasedAt ? { ...request, customer: payerOf(customer) } : request;
}

/** A separate customer shares its document, and an erased one has no document: then only charges created with its id are its own. */
export function whoseCharges({ id, accountId, document, isSeparate, erasedAt }: Customer): OfCustomer {
  return { accountId, customerId: id, ...(!isSeparate && !erasedAt && { document }) };
}

/** Matches no charges for a customer that the caller cannot see. */
export async function findWhoseCharges(sql: Sql, customerId: string, accountId?: string): Promise<OfCustomer> {
  const customer = await findCustomer(sql, customerId, accountId);
  return customer ? whoseCharges(customer) : { customerId, accountId: accountId ?? '' };
}

/** The customer that a charge is of, if there is one. */
export async function findCustomerOf(
  sql: Sql,
  { accountId, customerId, customer }: Pick<Charge, 'accountId' | 'customerId' | 'customer'>,
): Promise<Customer | undefined> {
  return customerId === undefined
    ? findByDocument(sql, accountId, customer.document)
    : findCustomer(sql, customerId, accountId);
}
