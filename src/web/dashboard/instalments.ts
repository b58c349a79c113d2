// Instalment plans: the list, one plan with its charges, and the list as CSV.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { InstalmentsQuery } from '../../api/instalments.ts';
import { INSTALMENT_PLAN_STATES } from '../../billing/instalments/instalment-plan.ts';
import { listInstalmentPlans } from '../../billing/instalments/list.ts';
import { requireInstalmentPlan } from '../../billing/instalments/require.ts';
import { showInstalmentPlan } from '../../billing/instalments/show.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import type { Database } from '../../storage/database.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { balanceCard } from './balance-card.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { cost, documentOf, reais, when } from './formats.ts';
import { badge, facts, idLink, pager, table, timeline } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly db: Database };

const HIDDEN = { schema: { hide: true } } as const;

const InstalmentsFilter = Type.Object(InstalmentsQuery.properties, { additionalProperties: false });

export function instalmentPages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'state', label: 'State', options: INSTALMENT_PLAN_STATES },
    { name: 'externalId', label: 'External id' },
    { name: 'customerId', label: 'Customer', hint: 'its id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const options = { title: 'Instalments', section: 'instalments', filters };

  const show = filteredPage(deps, options, async (request, reply, shown) => {
    const list = await listInstalmentPlans(deps, queryFor(deps, request));
    const rows = list.instalments.map(plan => [
      idLink(`/dashboard/instalments/${plan.id}`, plan.id),
      badge(plan.state),
      sumOf(plan),
      `${plan.paidCount} of ${plan.instalmentCount}`,
      plan.description ?? '–',
      plan.externalId ?? '–',
      plan.accountId,
      when(plan.createdAt),
    ]);
    const page = shell(deps, request, {
      title: 'Instalments',
      section: 'instalments',
      version: await deps.versionOf(),
      acts:
        may(request.caller, 'charges:write') &&
        html`<a class="button" href="/dashboard/instalments/new">New instalments</a>`,
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/instalments.csv'))}
<div data-live="list">${table({ caption: 'Instalment plans', head: ['Plan', 'State', '#Sum', 'Paid', 'Description', 'External id', 'Account', 'Created'], rows, empty: 'No instalment plan fits these filters.' })}
${pager(request, list)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/instalments', HIDDEN, show);

  csvOfList(app, deps, {
    name: 'instalments',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listInstalmentPlans({ ...deps, db }, query)).instalments,
  });

  app.get<{ Params: { id: string } }>('/dashboard/instalments/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireInstalmentPlan(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const [plan, events] = await Promise.all([
      showInstalmentPlan(deps, found),
      readObjectEvents(deps.db, found.id, found.accountId),
    ]);
    const [first] = plan.charges;
    const at = `/dashboard/instalments/${plan.id}`;
    const page = shell(deps, request, {
      title: `${plan.instalmentCount} instalments`,
      section: 'instalments',
      version: await deps.versionOf(),
      acts: [
        plan.balance.open.count > 0 &&
          plan.charges.some(({ boleto }) => boleto?.pdfUrl) &&
          html`<a class="button secondary" href="${plan.slipsUrl}">Slips as PDF</a> `,
        may(caller, 'refunds:write') &&
          plan.balance.paid.count > 0 &&
          html`<a class="button secondary" href="${at}/refund">Refund</a> `,
        may(caller, 'charges:write') && html`<a class="button secondary" href="${at}/withdraw">Withdraw the link</a> `,
        may(caller, 'charges:write') &&
          plan.state === 'OPEN' &&
          html`<a class="button secondary" href="${at}/cancel">Cancel</a> `,
      ],
      body: html`<div data-live="plan"><p class="state">${badge(plan.state)}</p>
<section class="card">${facts([
        ['Id', html`<code>${plan.id}</code>`],
        ['Account', plan.accountId],
        ['External id', plan.externalId],
        ['Description', plan.description],
        ['Payer', first?.customer.name],
        ['Document', first && documentOf(first.customer.document)],
        ['Sum', sumOf(plan)],
        ['Paid', `${plan.paidCount} of ${plan.instalmentCount}`],
        ['Checkout', html`<a href="${plan.checkoutUrl}">${plan.checkoutUrl}</a>`],
        ...Object.entries(plan.metadata ?? {}),
        ['Created', when(plan.createdAt)],
      ])}</section>
${balanceCard(plan.balance)}
<section class="card"><h2>Instalments</h2>${table({
        caption: 'Instalments',
        head: ['#Number', 'Charge', 'State', '#Amount', 'Due'],
        rows: plan.charges.map(charge => [
          String(charge.instalment?.number),
          idLink(`/dashboard/charges/${charge.id}`, charge.id),
          badge(charge.state),
          reais(charge.payable.amountCents),
          when(charge.dueAt),
        ]),
      })}</section>
<section class="card">${timeline(events)}</section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}

type Shown = Awaited<ReturnType<typeof listInstalmentPlans>>['instalments'][number];

function sumOf({ amountCents, currency }: Pick<Shown, 'amountCents' | 'currency'>): Piece {
  return cost((amountCents / 100).toFixed(2), currency);
}

function queryFor({ pageSize }: Deps, request: FastifyRequest) {
  return listQuery(readFilters(InstalmentsFilter, request), request.caller, pageSize);
}

const CSV: Columns<Shown> = {
  id: plan => plan.id,
  account: plan => plan.accountId,
  'external id': plan => plan.externalId,
  state: plan => plan.state,
  sum: plan => (plan.amountCents / 100).toFixed(2),
  currency: plan => plan.currency,
  instalments: plan => plan.instalmentCount,
  paid: plan => plan.paidCount,
  description: plan => plan.description,
  created: plan => plan.createdAt,
  updated: plan => plan.updatedAt,
  customer: plan => plan.customerId,
};
