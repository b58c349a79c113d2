// Charges: the list, one charge with its history, and the list as CSV.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ChargesQuery } from '../../api/charges.ts';
import { findCustomerOf, findWhoseCharges } from '../../billing/customers/charges-of.ts';
import { findRemindersOf } from '../../billing/reminders/store.ts';
import { reminderView } from '../../billing/reminders/view.ts';
import { CHARGE_STATES, type ChargeMethod } from '../../charges/charge.ts';
import type { Links } from '../../charges/links/links.ts';
import { listCharges, listFilteredCharges } from '../../charges/list.ts';
import { requireCharge } from '../../charges/require.ts';
import type { ChargeFilter } from '../../charges/store/filtered.ts';
import type { ChargeQuery } from '../../charges/store/list.ts';
import { chargeView } from '../../charges/view.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import type { ListReadDeps } from '../../http/server/list-read.ts';
import type { Clock } from '../../lib/clock.ts';
import { recordReading } from '../../storage/audit.ts';
import type { Database } from '../../storage/database.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, pageReader, sendCsv, walkWindows } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters, searchedNote } from './filters.ts';
import { cost, documentOf, reais, when } from './formats.ts';
import { badge, facts, idLink, pager, queryOf, table, timeline } from './parts.ts';
import { METHOD_FILTER, methodParameter, PAYER_FILTERS, payerFilterIn, payerParameters } from './payer-filter.ts';
import { abatementOf, abatementText, discountsOf, discountsText } from './reductions.ts';
import { remindersOfCharge } from './reminder-texts.ts';
import { may, type ShellDeps, shell } from './shell.ts';
import type { VersionOf } from './stream.ts';

export type ListDeps = ShellDeps &
  ListReadDeps & {
    readonly clock: Clock;
    readonly pageSize: number;
    readonly links: Links;
    readonly versionOf: VersionOf;
  };

const HIDDEN = { schema: { hide: true } } as const;
const ON_RECORD = { config: { isOnRecord: true }, ...HIDDEN } as const;

const ChargesFilter = Type.Object(
  { ...ChargesQuery.properties, ...payerParameters, method: methodParameter },
  { additionalProperties: false },
);

export function chargePages(app: FastifyInstance, deps: ListDeps & { readonly db: Database }): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'state', label: 'State', options: CHARGE_STATES },
    ...PAYER_FILTERS,
    METHOD_FILTER,
    { name: 'externalId', label: 'External id' },
    // Named by the page of a customer.
    ...('customerId' in queryOf(request) ? [{ name: 'customerId', label: 'Customer', hint: 'its id' }] : []),
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];

  const show = filteredPage(deps, { title: 'Charges', section: 'charges', filters }, async (request, reply, shown) => {
    const { filter, ...query } = await queryFor(deps, request);
    const list = await readList(deps, query, filter);
    const rows = list.charges.map(charge => [
      idLink(`/dashboard/charges/${charge.id}`, charge.id),
      stateOf(charge),
      reais(charge.payable.amountCents),
      charge.customer.name,
      charge.externalId ?? '–',
      charge.accountId,
      when(charge.dueAt),
      when(charge.createdAt),
    ]);
    const page = shell(deps, request, {
      title: 'Charges',
      section: 'charges',
      version: await deps.versionOf(),
      acts:
        may(request.caller, 'charges:write') && html`<a class="button" href="/dashboard/charges/new">New charge</a>`,
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/charges.csv'))}
<div data-live="list">${table({ caption: 'Charges', head: ['Charge', 'State', '#Amount', 'Payer', 'External id', 'Account', 'Due', 'Created'], rows, empty: 'No charge fits these filters.' })}
${pager(request, list)}${searchedNote(request, 'charges', list.searchedTo)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/charges', HIDDEN, show);

  app.get('/dashboard/charges.csv', ON_RECORD, async (request, reply) => {
    const { filter, ...query } = await queryFor(deps, request);
    await recordReading(deps.db);
    // A search for one charge may follow its creation, so it reads the primary.
    const read = pageReader(deps, request, reply, { isFresh: query.externalId !== undefined });
    const pages = walkWindows(
      deps.clock.now(),
      query,
      async page => {
        const { charges: rows, searchedTo } = await read(db =>
          readList({ ...deps, db }, { ...query, ...page }, filter),
        );
        return { rows, ...(searchedTo && { searchedTo }) };
      },
      ({ id, createdAt }) => ({ id, at: createdAt }),
    );
    return sendCsv(reply, 'charges', CSV, pages);
  });

  app.get<{ Params: { id: string } }>('/dashboard/charges/:id', HIDDEN, async (request, reply) => {
    const found = await requireCharge(deps.db, request.params.id.toLowerCase(), request.caller?.accountId);
    const charge = chargeView(deps.links, found);
    const [events, reminders, customer] = await Promise.all([
      readObjectEvents(deps.db, charge.id, charge.accountId),
      findRemindersOf(deps.db, charge.id, charge.accountId),
      may(request.caller, 'customers:read') ? findCustomerOf(deps.db, found) : undefined,
    ]);
    const isOpen = ['CREATING', 'ACTIVE', 'OVERDUE'].includes(charge.state);
    const at = `/dashboard/charges/${charge.id}`;
    const act = (path: string, label: string) => html`<a class="button secondary" href="${at}/${path}">${label}</a> `;
    const { caller } = request;
    const acts: Piece = [
      may(caller, 'payments:write') && act('record', 'Record a payment'),
      may(caller, 'refunds:write') && charge.payments.length > 0 && act('refund', 'Refund'),
      may(caller, 'charges:write') && isOpen && act('due-date', 'Change the due date'),
      may(caller, 'charges:write') && charge.state === 'PARTIALLY_PAID' && act('remainder', 'Charge the rest'),
      may(caller, 'charges:write') && act('withdraw', 'Withdraw the link'),
      may(caller, 'charges:write') && isOpen && act('cancel', 'Cancel'),
    ];
    const page = shell(deps, request, {
      title: `Charge of ${reais(charge.payable.amountCents)}`,
      section: 'charges',
      version: await deps.versionOf(),
      acts,
      body: html`<div data-live="charge"><p class="state">${stateOf(charge)}</p>
<section class="card">${facts([
        ['Id', html`<code>${charge.id}</code>`],
        ['Account', charge.accountId],
        ['External id', charge.externalId],
        ['Description', charge.description],
        [
          'Instalment',
          charge.instalment &&
            html`${charge.instalment.number} of <a href="/dashboard/instalments/${charge.instalment.instalmentPlanId}">its plan</a>`,
        ],
        [
          'Subscription',
          charge.subscriptionId &&
            html`cycle ${charge.cycle} of <a href="/dashboard/subscriptions/${charge.subscriptionId}">its subscription</a>`,
        ],
        ['Payer', payerOf(charge.customer.name, customer)],
        ['Document', documentOf(charge.customer.document)],
        ['Asked for', cost(decimal(charge.amountCents), charge.currency)],
        ['Abatement', abatementOf(charge)],
        ['Discounts', discountsOf(charge)],
        ['Due', when(charge.dueAt)],
        ['Another due date', charge.dueChange && dueChangeLine(charge.dueChange)],
        ['Ends', when(charge.expireAt)],
        ['Created', when(charge.createdAt)],
        ['Checkout', html`<a class="long" href="${charge.checkoutUrl}">${charge.checkoutUrl}</a>`],
        [
          'Charge for the rest',
          charge.remainderId && idLink(`/dashboard/charges/${charge.remainderId}`, charge.remainderId),
        ],
        ['Rest of', charge.remainderOf && idLink(`/dashboard/charges/${charge.remainderOf}`, charge.remainderOf)],
        ['Order', charge.transactionId && idLink(`/dashboard/orders/${charge.transactionId}`, charge.transactionId)],
      ])}</section>
<section class="card"><h2>Ways to pay</h2>${table({
        caption: 'Ways to pay',
        head: ['Method', 'Status', 'Txid or nosso número', 'Code', 'Reason'],
        rows: found.methods.map(method => [
          method.method,
          badge(method.status),
          method.reference === undefined ? '–' : html`<code>${method.reference}</code>`,
          codeOf(method),
          method.reason ?? '–',
        ]),
      })}</section>
<section class="card"><h2>Payments</h2>${table({
        caption: 'Payments',
        head: ['Paid', 'Method', '#Amount', 'Less', 'Reference', 'Reported by', ''],
        rows: charge.payments.map(payment => [
          when(payment.paidAt),
          payment.method,
          reais(payment.amountCents),
          takenOffBy(payment),
          html`<code>${payment.reference}</code>`,
          payment.source,
          [payment.isRepeat && badge('paid again'), payment.timing === 'late' && badge('late')],
        ]),
        empty: 'Nothing was paid yet.',
      })}</section>
${
  charge.refunds.length > 0 &&
  html`<section class="card"><h2>Sent back</h2>${table({
    caption: 'Refunds',
    head: ['Asked for', 'Kind', '#Amount', 'Status', 'Reason'],
    rows: charge.refunds.map(refund => [
      when(refund.createdAt),
      refund.disputeId === undefined
        ? refund.kind
        : html`<a href="/dashboard/disputes/${refund.disputeId}">dispute</a>`,
      reais(refund.amountCents),
      badge(refund.status),
      refund.reason ?? '–',
    ]),
  })}</section>`
}
${remindersOfCharge(reminders.map(reminderView))}
<section class="card">${timeline(events)}
<p><a href="/dashboard/ledger?chargeId=${charge.id}">In the ledger</a></p></section></div>`,
    });
    return sendHtml(request, reply, page);
  });
}

type Standing = Pick<Listed, 'state' | 'paidAmount' | 'timing' | 'payments'>;

/** The state, with badges for what «paid» alone would hide. */
function stateOf({ state, paidAmount, timing, payments }: Standing): Piece {
  const isTwice = paidAmount === 'over' && payments.some(({ isRepeat }) => isRepeat);
  const badges = [
    paidAmount === 'partial' && state !== 'PARTIALLY_PAID' && 'paid in part',
    isTwice && 'paid twice',
    paidAmount === 'over' && !isTwice && 'paid too much',
    timing === 'late' && 'late',
  ];
  return html`${badge(state)}${badges.map(text => text !== false && html` ${badge(text)}`)}`;
}

/** Links to the customer, where the account has one with this document. */
function payerOf(name: string, customer: { readonly id: string } | undefined): Piece {
  return customer ? html`<a href="/dashboard/customers/${customer.id}">${name}</a>` : name;
}

/** What the bank took off the payment, where it reports that. */
function takenOffBy({ discountCents, abatementCents }: Listed['payments'][number]): Piece {
  const parts = [
    discountCents !== undefined && `discount ${reais(discountCents)}`,
    abatementCents !== undefined && `abatement ${reais(abatementCents)}`,
  ].filter(part => part !== false);
  return parts.length === 0 ? '–' : parts.join(', ');
}

function dueChangeLine({
  dueAt,
  status,
  reason,
}: {
  dueAt: string;
  status: string;
  reason?: string | undefined;
}): Piece {
  return html`${when(dueAt)} ${badge(status)} ${reason}`;
}

/** The code that a payer types or pastes. */
function codeOf({ instrument }: ChargeMethod): Piece {
  if (!instrument) return '–';
  return html`<code class="long">${'emv' in instrument ? instrument.emv : instrument.digitableLine}</code>`;
}

async function queryFor({ db, pageSize }: ListDeps, request: FastifyRequest) {
  const { customerId, payer, amountFrom, amountTo, method, ...asked } = listQuery(
    readFilters(ChargesFilter, request),
    request.caller,
    pageSize,
  );
  return {
    ...asked,
    ...(customerId !== undefined && { ofCustomer: await findWhoseCharges(db, customerId, asked.accountId) }),
    filter: payerFilterIn({ payer, amountFrom, amountTo, method }),
  };
}

/** Filters by payer, method or amount search a limited number of charges; all others can count them. */
async function readList(
  deps: Pick<ListDeps, 'db' | 'links'>,
  query: ChargeQuery,
  filter: ChargeFilter | undefined,
): Promise<Awaited<ReturnType<typeof listFilteredCharges>>> {
  return filter ? listFilteredCharges(deps, query, filter) : listCharges(deps, query);
}

const sum = (cents: readonly number[]) => cents.reduce((total, one) => total + one, 0);
/** Exact: two decimals of whole cents. */
const decimal = (cents: number) => (cents / 100).toFixed(2);

type Listed = Awaited<ReturnType<typeof listCharges>>['charges'][number];

const CSV: Columns<Listed> = {
  id: charge => charge.id,
  account: charge => charge.accountId,
  'external id': charge => charge.externalId,
  state: charge => charge.state,
  amount: charge => decimal(charge.amountCents),
  currency: charge => charge.currency,
  'payable (BRL)': charge => decimal(charge.payable.amountCents),
  'paid (BRL)': charge => decimal(sum(charge.payments.map(({ amountCents }) => amountCents))),
  'refunded (BRL)': charge =>
    decimal(sum(charge.refunds.filter(({ status }) => status !== 'FAILED').map(({ amountCents }) => amountCents))),
  payer: charge => charge.customer.name,
  document: charge => charge.customer.document,
  'paid by': charge => charge.payments[0]?.method,
  'paid at': charge => charge.payments[0]?.paidAt,
  'bank reference': charge => charge.payments.map(({ reference }) => reference).join(' '),
  due: charge => charge.dueAt,
  created: charge => charge.createdAt,
  abatement: abatementText,
  discounts: discountsText,
  customer: charge => charge.customerId,
  instalments: charge => charge.instalment?.instalmentPlanId,
  instalment: charge => charge.instalment?.number,
  subscription: charge => charge.subscriptionId,
  cycle: charge => charge.cycle,
};
