// Mandates of Pix Automático: the list, one mandate with its collections, and the list as CSV.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MandatesQuery } from '../../api/mandates.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { isOver } from '../../billing/mandates/collection.ts';
import { listMandates, showMandate } from '../../billing/mandates/list.ts';
import { hasEnded, MANDATE_STATUSES } from '../../billing/mandates/mandate.ts';
import { requireMandate } from '../../billing/mandates/require.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import type { Database } from '../../storage/database.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { day, reais, when } from './formats.ts';
import { JOURNEY_NAMES } from './mandate-acts.ts';
import { badge, facts, idLink, pager, table, timeline } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly db: Database };

const HIDDEN = { schema: { hide: true } } as const;

const MandatesFilter = Type.Object(MandatesQuery.properties, { additionalProperties: false });

export function mandatePages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'status', label: 'Status', options: MANDATE_STATUSES },
    { name: 'externalId', label: 'External id' },
    { name: 'customerId', label: 'Customer', hint: 'its id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const section = 'mandates';

  const show = filteredPage(deps, { title: 'Mandates', section, filters }, async (request, reply, shown) => {
    const list = await listMandates(deps, queryFor(deps, request));
    const rows = list.mandates.map(mandate => [
      idLink(`/dashboard/mandates/${mandate.id}`, mandate.id),
      badge(mandate.status),
      mandate.description ?? '–',
      amountOf(mandate),
      mandate.period.toLowerCase(),
      idLink(`/dashboard/customers/${mandate.customerId}`, mandate.customerId),
      mandate.externalId ?? '–',
      mandate.accountId,
      when(mandate.createdAt),
    ]);
    const page = shell(deps, request, {
      title: 'Mandates',
      section,
      version: await deps.versionOf(),
      acts:
        may(request.caller, 'charges:write') && html`<a class="button" href="/dashboard/mandates/new">New mandate</a>`,
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/mandates.csv'))}
<div data-live="list">${table({ caption: 'Mandates', head: ['Mandate', 'Status', 'Description', '#Amount', 'Period', 'Customer', 'External id', 'Account', 'Created'], rows, empty: 'No mandate fits these filters.' })}
${pager(request, list)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/mandates', HIDDEN, show);

  csvOfList(app, deps, {
    name: 'mandates',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listMandates({ db }, query)).mandates,
  });

  app.get<{ Params: { id: string } }>('/dashboard/mandates/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireMandate(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const [mandate, customer, events] = await Promise.all([
      showMandate(deps, found),
      requireCustomer(deps.db, found.customerId, found.accountId),
      readObjectEvents(deps.db, found.id, found.accountId),
    ]);
    const at = `/dashboard/mandates/${mandate.id}`;
    const mayChange = may(caller, 'charges:write');
    const page = shell(deps, request, {
      title: mandate.description ?? 'Mandate',
      section,
      version: await deps.versionOf(),
      acts: mayChange &&
        !hasEnded(found) &&
        !found.cancelAskedAt && [
          html`<a class="button" href="${at}/collect">Collect a charge</a> `,
          html`<a class="button secondary" href="${at}/cancel">Cancel</a> `,
        ],
      body: html`<div data-live="mandate"><p class="state">${badge(mandate.status)}</p>
<section class="card">${facts([
        ['Id', html`<code>${mandate.id}</code>`],
        ['Account', mandate.accountId],
        ['External id', mandate.externalId],
        ['Customer', html`<a href="/dashboard/customers/${customer.id}">${customer.name}</a>`],
        ['Contract', html`<code>${mandate.contract}</code>`],
        ['Amount', amountOf(mandate)],
        ['Period', mandate.period.toLowerCase()],
        ['First day', day(mandate.firstDay)],
        ['Last day', mandate.lastDay && day(mandate.lastDay)],
        ['Tried again without money', mandate.retries ? 'yes' : 'no'],
        ['The payer is asked', JOURNEY_NAMES[found.journey]],
        ['The payer approved', found.approvedBy && JOURNEY_NAMES[found.approvedBy]],
        ['Charge of the code', mandate.chargeId && idLink(`/dashboard/charges/${mandate.chargeId}`, mandate.chargeId)],
        ['Code', mandate.emv && html`<code>${mandate.emv}</code>`],
        ['Id at the PSP', mandate.recurrenceId && html`<code>${mandate.recurrenceId}</code>`],
        ['State at the PSP', mandate.pspStatus],
        ['Cancellation requested', !hasEnded(found) && found.cancelAskedAt && when(found.cancelAskedAt)],
        ['The PSP refuses to cancel it', mandate.cancelRefusal],
        ['Ended', endingOf(mandate)],
        ['Created', when(mandate.createdAt)],
        ['Changed', mandate.updatedAt !== mandate.createdAt && when(mandate.updatedAt)],
      ])}</section>
<section class="card"><h2>Collections</h2>${table({
        caption: 'Collections',
        head: ['Charge', 'Status', '#Amount', 'Due', 'Attempts', 'Why not paid', ''],
        rows: mandate.collections.map(collection => [
          idLink(`/dashboard/charges/${collection.chargeId}`, collection.chargeId),
          badge(collection.status),
          reais(collection.amountCents),
          day(collection.dueDay),
          attemptsOf(collection),
          endingOf(collection) ?? refusalOf(collection) ?? '–',
          mayChange &&
            !isOver(collection) &&
            html`<a class="button secondary small" href="/dashboard/collections/${collection.id}/cancel">Cancel</a>`,
        ]),
        empty: 'No charge was collected yet.',
      })}</section>
<section class="card">${timeline(events)}</section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}

type Shown = Awaited<ReturnType<typeof listMandates>>['mandates'][number];
type Collected = Awaited<ReturnType<typeof showMandate>>['collections'][number];

function amountOf({ amountCents, minimumCents }: Shown): Piece {
  if (amountCents !== undefined) return reais(amountCents);
  return minimumCents === undefined ? 'of each charge' : `of each charge; a limit is at least ${reais(minimumCents)}`;
}

function attemptsOf({ attempts }: Collected): Piece {
  if (attempts.length === 0) return '–';
  return attempts.map(
    ({ day: on, status, pspStatus, refusal }) =>
      html`<div>${on && `${day(on)}: `}${status?.toLowerCase() ?? pspStatus}${refusal && `, ${reasonOf(refusal)}`}</div>`,
  );
}

function refusalOf({ cancelRefusal }: Collected): string | undefined {
  return cancelRefusal && `the PSP refuses to cancel it: ${cancelRefusal}`;
}

/** Who or what ended it. */
function endingOf({ ending, reason }: Pick<Shown, 'ending' | 'reason'>): string | undefined {
  if (!ending) return reason;
  return [ending.by && `by ${ending.by.toLowerCase().replaceAll('_', ' of ')}`, reasonOf(ending)]
    .filter(Boolean)
    .join(': ');
}

function reasonOf({
  code,
  description,
}: {
  readonly code?: string | undefined;
  readonly description?: string | undefined;
}) {
  return [code, description].filter(Boolean).join(' ');
}

function queryFor({ pageSize }: Deps, request: FastifyRequest) {
  return listQuery(readFilters(MandatesFilter, request), request.caller, pageSize);
}

const CSV: Columns<Shown> = {
  id: mandate => mandate.id,
  account: mandate => mandate.accountId,
  'external id': mandate => mandate.externalId,
  customer: mandate => mandate.customerId,
  status: mandate => mandate.status,
  contract: mandate => mandate.contract,
  description: mandate => mandate.description,
  cents: mandate => mandate.amountCents,
  'minimum cents': mandate => mandate.minimumCents,
  period: mandate => mandate.period,
  'first day': mandate => mandate.firstDay,
  'last day': mandate => mandate.lastDay,
  journey: mandate => mandate.journey,
  'id at the PSP': mandate => mandate.recurrenceId,
  ended: mandate => endingOf(mandate),
  created: mandate => mandate.createdAt,
  updated: mandate => mandate.updatedAt,
};
