// The customer that the address of a form names, as `?customerId=`: the page of a customer links to forms this way.
import type { FastifyRequest } from 'fastify';
import type { Customer } from '../../billing/customers/customer.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { isUuid } from '../../lib/ids.ts';
import type { ActDeps, Field } from './act.ts';
import { queryOf } from './parts.ts';
import { may } from './shell.ts';

export async function customerOf({ db }: ActDeps, request: FastifyRequest): Promise<Customer | undefined> {
  const { customerId } = queryOf(request);
  if (typeof customerId !== 'string' || !isUuid(customerId) || !may(request.caller, 'customers:read')) return undefined;
  return requireCustomer(db, customerId, request.caller?.accountId);
}

export const fieldsOfCustomer = ({ id, accountId }: Customer): readonly Field[] => [
  { name: 'customerId', label: 'Customer', type: 'hidden', value: id },
  { name: 'accountId', label: 'Account', type: 'hidden', value: accountId },
];
