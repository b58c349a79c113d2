// The customer of a form: the one that its address names, as `?customerId=`, or one whose id is typed.
import type { FastifyRequest } from 'fastify';
import type { Customer } from '../../billing/customers/customer.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { isUuid } from '../../lib/ids.ts';
import type { ActDeps, Field } from './act.ts';
import { accountField } from './choices.ts';
import { queryOf } from './parts.ts';
import { may } from './shell.ts';

/** The page of a customer links to forms this way. */
export async function customerOf({ db }: ActDeps, request: FastifyRequest): Promise<Customer | undefined> {
  const { customerId } = queryOf(request);
  if (typeof customerId !== 'string' || !isUuid(customerId) || !may(request.caller, 'customers:read')) return undefined;
  return requireCustomer(db, customerId, request.caller?.accountId);
}

export const fieldsOfCustomer = ({ id, accountId }: Customer): readonly Field[] => [
  { name: 'customerId', label: 'Customer', type: 'hidden', value: id },
  { name: 'accountId', label: 'Account', type: 'hidden', value: accountId },
];

/** For a form that creates something for an existing customer. */
export async function customerFields(
  deps: ActDeps,
  request: FastifyRequest,
  customer: Customer | undefined,
): Promise<readonly Field[]> {
  if (customer) return fieldsOfCustomer(customer);
  return [
    ...(await accountField(deps, request)),
    { name: 'customerId', label: 'Customer', isRequired: true, hint: 'The id of a customer of the account.' },
  ];
}
