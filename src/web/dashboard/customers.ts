// Customers: the list, one customer with its balance and newest charges, and the list as CSV.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { CustomersQuery } from '../../api/customers.ts';
import { whoseCharges } from '../../billing/customers/charges-of.ts';
import { listCustomers } from '../../billing/customers/list.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { showCustomer } from '../../billing/customers/show.ts';
import { listCharges } from '../../charges/list.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import type { Database } from '../../storage/database.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { balanceCard } from './balance-card.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { count, documentOf, reais, when } from './formats.ts';
import { badge, facts, idLink, pager, table, timeline } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly db: Database };

const HIDDEN = { schema: { hide: true } } as const;
/** Charges that the page of a customer shows; the list of charges has all. */
const SHOWN_CHARGES = 10;

const CustomersFilter = Type.Object(CustomersQuery.properties, { additionalProperties: false });

export function customerPages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'search', label: 'Search', hint: 'name, e-mail, CPF or CNPJ' },
    { name: 'externalId', label: 'External id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const options = { title: 'Customers', section: 'customers', filters };

  const show = filteredPage(deps, options, async (request, reply, shown) => {
    const list = await listCustomers(deps, queryFor(deps, request));
    const rows = list.customers.map(customer => [
      html`<a href="/dashboard/customers/${customer.id}">${customer.name}</a>`,
      documentOf(customer.document),
      customer.email ?? '–',
      customer.externalId ?? '–',
      customer.accountId,
      when(customer.createdAt),
    ]);
    const page = shell(deps, request, {
      title: 'Customers',
      section: 'customers',
      acts:
        may(request.caller, 'customers:write') &&
        html`<a class="button" href="/dashboard/customers/new">New customer</a>`,
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/customers.csv'))}
${table({ caption: 'Customers', head: ['Customer', 'CPF or CNPJ', 'E-mail', 'External id', 'Account', 'Created'], rows, empty: 'No customer fits these filters.' })}
${pager(request, list)}`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/customers', HIDDEN, show);

  csvOfList(app, deps, {
    name: 'customers',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listCustomers({ db }, query)).customers,
  });

  app.get<{ Params: { id: string } }>('/dashboard/customers/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireCustomer(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const ofCustomer = whoseCharges(found);
    const [customer, list, events] = await Promise.all([
      showCustomer(deps, found),
      listCharges(deps, { page: 1, pageSize: SHOWN_CHARGES, ofCustomer }),
      readObjectEvents(deps.db, found.id, found.accountId),
    ]);
    const at = `/dashboard/customers/${customer.id}`;
    const isErased = customer.erasedAt !== undefined;
    const page = shell(deps, request, {
      title: customer.name,
      section: 'customers',
      version: await deps.versionOf(),
      acts: !isErased && [
        may(caller, 'charges:write') &&
          html`<a class="button" href="/dashboard/charges/new?customerId=${customer.id}">New charge</a> `,
        may(caller, 'subscriptions:write') &&
          html`<a class="button secondary" href="/dashboard/subscriptions/new?customerId=${customer.id}">New subscription</a> `,
        may(caller, 'charges:write') &&
          html`<a class="button secondary" href="/dashboard/mandates/new?customerId=${customer.id}">New mandate</a> `,
        may(caller, 'customers:write') && [
          html`<a class="button secondary" href="${at}/change">Change</a> `,
          html`<a class="button secondary" href="${at}/erase">Erase</a> `,
        ],
      ],
      body: html`<div data-live="customer"><section class="card">${facts([
        ['Id', html`<code>${customer.id}</code>`],
        ['Account', customer.accountId],
        ['External id', customer.externalId],
        ['CPF or CNPJ', [documentOf(customer.document), customer.separate && html` ${badge('separate')}`]],
        ['E-mail', customer.email],
        ['Phone', customer.phone],
        ['Address', addressLine(customer.address)],
        ['Language of mails', customer.locale],
        ['Notes', customer.notes],
        ...Object.entries(customer.metadata ?? {}),
        ['Created', when(customer.createdAt)],
        ['Changed', customer.updatedAt !== customer.createdAt && when(customer.updatedAt)],
        ['Erased', customer.erasedAt && when(customer.erasedAt)],
      ])}</section>
${balanceCard(customer.balance)}
<section class="card"><h2>Charges</h2>${table({
        caption: 'Charges',
        head: ['Charge', 'State', '#Amount', 'External id', 'Due', 'Created'],
        rows: list.charges.map(charge => [
          idLink(`/dashboard/charges/${charge.id}`, charge.id),
          badge(charge.state),
          reais(charge.payable.amountCents),
          charge.externalId ?? '–',
          when(charge.dueAt),
          when(charge.createdAt),
        ]),
        empty: 'Nothing was charged yet.',
      })}
${list.total > 0 && html`<p><a href="/dashboard/charges?customerId=${customer.id}">All ${count(list.total)} in the list of charges</a></p>`}</section>
<section class="card">${timeline(events)}</section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}

type Shown = Awaited<ReturnType<typeof showCustomer>>;

function addressLine(address: Shown['address']): string | undefined {
  if (!address) return undefined;
  const { street, number, complement, neighborhood, city, state, postalCode, countryCode } = address;
  const parts = [street, number, complement, neighborhood, city, state, postalCode, countryCode];
  return parts.filter(part => part !== undefined && part !== '').join(', ');
}

function queryFor({ pageSize }: Deps, request: FastifyRequest) {
  return listQuery(readFilters(CustomersFilter, request), request.caller, pageSize);
}

const CSV: Columns<Awaited<ReturnType<typeof listCustomers>>['customers'][number]> = {
  id: customer => customer.id,
  account: customer => customer.accountId,
  'external id': customer => customer.externalId,
  name: customer => customer.name,
  document: customer => customer.document,
  type: customer => customer.type,
  email: customer => customer.email,
  phone: customer => customer.phone,
  address: customer => addressLine(customer.address),
  locale: customer => customer.locale,
  notes: customer => customer.notes,
  created: customer => customer.createdAt,
  updated: customer => customer.updatedAt,
};
