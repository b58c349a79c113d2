// Customers: whom an account charges again and again.
import type { FastifyInstance } from 'fastify';
import {
  CUSTOMER_DETAIL_EXAMPLE,
  CUSTOMER_EXAMPLE,
  CUSTOMERS_EXAMPLE,
  CustomerBody,
  CustomerChanges,
  CustomerDetail,
  CustomersPage,
  CustomersQuery,
  CustomerView,
  toChanges,
  toNewCustomer,
} from '../../api/customers.ts';
import { checkPage } from '../../api/paging.ts';
import { changeCustomer } from '../../billing/customers/change.ts';
import { type CustomerDeps, createCustomer } from '../../billing/customers/create.ts';
import { eraseCustomer } from '../../billing/customers/erase.ts';
import { listCustomers } from '../../billing/customers/list.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { showCustomer } from '../../billing/customers/show.ts';
import { customerView } from '../../billing/customers/view.ts';
import { checkDocument, normaliseDocument } from '../../charges/create/check.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Customers';
const path = idOf('customer');

type Deps = CustomerDeps & { readonly pageSize: number };

export function customerRoutes(app: FastifyInstance, deps: Deps): void {
  const checkWhenRefused = ({ body: { document } }: { readonly body: { readonly document?: string } }) =>
    document === undefined ? [] : checkDocument(normaliseDocument(document), deps.chargeRules, 'document');

  defineRoute(app, {
    method: 'POST',
    url: '/customers',
    operationId: 'createCustomer',
    summary: 'Create a customer',
    description:
      'An account has one customer for each CPF or CNPJ: a request with the same data returns it, and one with other data is refused, unless `separate` is true. A repeat by externalId or Idempotency-Key returns the first customer, however many arrive at once.',
    tag,
    takesIdempotencyKey: true,
    body: CustomerBody,
    checkWhenRefused,
    answer: created(CustomerView, 'The customer', CUSTOMER_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['customer_exists', 'external_id_conflict', 'idempotency_key_reused'],
    handle: async ({ body, idempotencyKey }, reply) => {
      const { customer, replayed } = await createCustomer(deps, toNewCustomer(body), idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/customers/${customer.id}`);
      return customerView(customer);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/customers',
    operationId: 'listCustomers',
    summary: 'List customers',
    description:
      'Newest first, filtered and paged, with exact totals, without those that were erased. A page past the end is empty.',
    tag,
    query: CustomersQuery,
    check: checkPage,
    answer: ok(CustomersPage, 'A page of customers', CUSTOMERS_EXAMPLE),
    handle: async ({ query, caller }) => listCustomers(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/customers/:id',
    operationId: 'getCustomer',
    summary: 'Read a customer',
    description:
      'With its balance. `GET /charges?customerId=` lists its charges: those created with its id and, unless it is separate, those of its account with its document.',
    tag,
    path,
    answer: ok(CustomerDetail, 'The customer, with the sums of its charges', CUSTOMER_DETAIL_EXAMPLE),
    handle: async ({ path: { id }, caller }) =>
      showCustomer(deps, await requireCustomer(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/customers/:id',
    operationId: 'changeCustomer',
    summary: 'Change a customer',
    description:
      'Absent fields stay, and null removes a value. Existing charges keep the payer that they were created with; new ones copy the present data.',
    tag,
    path,
    body: CustomerChanges,
    checkWhenRefused,
    answer: ok(CustomerView, 'The customer as it is then', CUSTOMER_EXAMPLE),
    problems: ['customer_exists', 'external_id_conflict', 'wrong_state'],
    handle: async ({ path: { id }, body, caller }) =>
      customerView(await changeCustomer(deps, id, toChanges(body), caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/customers/:id/erase',
    operationId: 'eraseCustomer',
    summary: 'Erase a customer',
    description:
      'Deletes name, document, address and contacts, also from its events; new charges cannot name it. Erasing it again changes nothing. Its charges keep the payer that they were created with: `trilho payer erase` erases those.',
    tag,
    path,
    answer: ok(CustomerView, 'What is left of the customer', {
      ...{ id: CUSTOMER_EXAMPLE.id, accountId: 'acme', externalId: 'client-77' },
      ...{ name: 'erased', document: '00000000000', type: 'individual' },
      ...{ createdAt: CUSTOMER_EXAMPLE.createdAt, updatedAt: '2027-01-04T12:00:00.000Z' },
      erasedAt: '2027-01-04T12:00:00.000Z',
    }),
    handle: async ({ path: { id }, caller }) => customerView(await eraseCustomer(deps, id, caller?.accountId)),
  });
}
