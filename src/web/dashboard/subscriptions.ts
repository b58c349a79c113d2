// Subscriptions: the list, one subscription with its cycles, the list as CSV; and the plans.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { PlansQuery } from '../../api/plans.ts';
import { SubscriptionsQuery } from '../../api/subscriptions.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import { listPlans } from '../../billing/plans/list.ts';
import { requirePlan } from '../../billing/plans/require.ts';
import type { termsView } from '../../billing/plans/view.ts';
import { hasEnded } from '../../billing/subscriptions/life.ts';
import { listCycles, listSubscriptions } from '../../billing/subscriptions/list.ts';
import { requireSubscription } from '../../billing/subscriptions/require.ts';
import { showSubscription } from '../../billing/subscriptions/show.ts';
import { SUBSCRIPTION_STATUSES } from '../../billing/subscriptions/subscription.ts';
import { readObjectEvents } from '../../events/store-newest.ts';
import { listQuery } from '../../http/server/list-query.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Database } from '../../storage/database.ts';
import { findWallet } from '../../wallets/store.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { cost, count, day, when } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { badge, facts, idLink, pager, table, timeline } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly db: Database };

const HIDDEN = { schema: { hide: true } } as const;
/** Cycles that the page of a subscription shows; the API has all. */
const SHOWN_CYCLES = 24;

const SubscriptionsFilter = Type.Object(SubscriptionsQuery.properties, { additionalProperties: false });
const PlansFilter = Type.Object(PlansQuery.properties, { additionalProperties: false });

export function subscriptionPages(app: FastifyInstance, deps: Deps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'status', label: 'Status', options: SUBSCRIPTION_STATUSES },
    { name: 'externalId', label: 'External id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const section = 'subscriptions';

  const show = filteredPage(deps, { title: 'Subscriptions', section, filters }, async (request, reply, shown) => {
    const list = await listSubscriptions(deps, queryFor(deps, request));
    const rows = list.subscriptions.map(subscription => [
      idLink(`/dashboard/subscriptions/${subscription.id}`, subscription.id),
      badge(subscription.status),
      subscription.description,
      priceOf(subscription),
      idLink(`/dashboard/customers/${subscription.customerId}`, subscription.customerId),
      subscription.externalId ?? '–',
      subscription.accountId,
      when(subscription.createdAt),
    ]);
    const head = ['Subscription', 'Status', 'What', '#Amount', 'Customer', 'External id', 'Account', 'Created'];
    const page = shell(deps, request, {
      title: 'Subscriptions',
      section,
      acts: [
        may(request.caller, 'subscriptions:write') &&
          html`<a class="button" href="/dashboard/subscriptions/new">New subscription</a> `,
        html`<a class="button secondary" href="/dashboard/plans">Plans</a>`,
      ],
      body: html`${filterForm(request, shown, csvLink(request, '/dashboard/subscriptions.csv'))}
${table({ caption: 'Subscriptions', head, rows, empty: 'No subscription fits these filters.' })}
${pager(request, list)}`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/subscriptions', HIDDEN, show);

  csvOfList(app, deps, {
    name: 'subscriptions',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listSubscriptions({ ...deps, db }, query)).subscriptions,
  });

  app.get<{ Params: { id: string } }>('/dashboard/subscriptions/:id', HIDDEN, async (request, reply) => {
    const { caller } = request;
    const found = await requireSubscription(deps.db, request.params.id.toLowerCase(), caller?.accountId);
    const [subscription, plan, customer, list, events, wallet] = await Promise.all([
      showSubscription(deps, found),
      requirePlan(deps.db, found.planId, found.accountId),
      requireCustomer(deps.db, found.customerId, found.accountId),
      listCycles(deps, found.id, { page: 1, pageSize: SHOWN_CYCLES }),
      readObjectEvents(deps.db, found.id, found.accountId),
      found.walletId === undefined ? undefined : findWallet(deps.db, found.walletId, { withRemoved: true }),
    ]);
    const at = `/dashboard/subscriptions/${subscription.id}`;
    const { status, nextCycle, cancelOn } = subscription;
    const mayChange = may(caller, 'subscriptions:write');
    const canResume = status === 'paused' || cancelOn !== undefined;
    const page = shell(deps, request, {
      title: subscription.description,
      section,
      version: await deps.versionOf(),
      acts: !hasEnded(found) &&
        mayChange && [
          html`<a class="button secondary" href="${at}/change">Change</a> `,
          canResume && html`<a class="button" href="${at}/resume">Resume</a> `,
          status !== 'paused' && html`<a class="button secondary" href="${at}/pause">Pause</a> `,
          html`<a class="button secondary" href="${at}/withdraw">Withdraw the link</a> `,
          html`<a class="button secondary" href="${at}/cancel">Cancel</a> `,
        ],
      body: html`<div data-live="subscription"><section class="card">${facts([
        ['Id', html`<code>${subscription.id}</code>`],
        ['Status', badge(status)],
        ['Account', subscription.accountId],
        ['External id', subscription.externalId],
        ['Customer', html`<a href="/dashboard/customers/${customer.id}">${customer.name}</a>`],
        ['Plan', plan.name],
        ['Amount', priceOf(subscription)],
        ['Cycles', subscription.cycles === undefined ? 'without an end' : count(subscription.cycles)],
        ['Methods', subscription.methods.join(', ')],
        ['Collected by', subscription.automatic && 'a mandate of the customer, where there is one'],
        ['Each cycle buys', subscription.crypto && boughtText(subscription.crypto)],
        ['To the wallet', wallet && html`${wallet.name}, ${wholeAddress(deps, wallet.network, wallet.address)}`],
        [
          'Next cycle',
          nextCycle && `${nextCycle.number}, on ${day(nextCycle.day)}; charged from ${day(nextCycle.chargeDay)}`,
        ],
        ['Trial until', subscription.trialEndDay && day(subscription.trialEndDay)],
        ['Canceled on', cancelOn && day(cancelOn)],
        ['Canceled because', subscription.cancelReason],
        ['Page of the payer', html`<a href="${subscription.checkoutUrl}">${subscription.checkoutUrl}</a>`],
        ...Object.entries(subscription.metadata ?? {}),
        ['Created', when(subscription.createdAt)],
        ['Paused', subscription.pausedAt && when(subscription.pausedAt)],
        ['Ended', subscription.endedAt && when(subscription.endedAt)],
      ])}</section>
<section class="card"><h2>Cycles</h2>${table({
        caption: 'Cycles',
        head: ['#Number', 'Day', 'Status', '#Amount', 'Charge', 'Order', 'Why not charged, collected or ordered', ''],
        rows: list.cycles.map(
          ({ number, day: begins, status: of, amountCents, currency, chargeId, reason, ...rest }) => [
            count(number),
            day(begins),
            badge(of),
            amountCents === undefined || currency === undefined ? '–' : amountOf(amountCents, currency),
            chargeId === undefined ? '–' : idLink(`/dashboard/charges/${chargeId}`, chargeId),
            rest.orderId === undefined ? '–' : idLink(`/dashboard/orders/${rest.orderId}`, rest.orderId),
            reason ?? rest.orderReason ?? rest.fallbackReason ?? '–',
            mayChange &&
              (of === 'open' || of === 'past_due') &&
              html`<a class="button secondary small" href="${at}/cycles/${number}/forgive">Forgive</a>`,
          ],
        ),
        empty: 'There is no cycle.',
      })}</section>
<section class="card">${timeline(events)}</section></div>`,
    });
    return sendHtml(request, reply, page);
  });

  const planFilters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'externalId', label: 'External id' },
    ...(await accountFilter(deps, request)),
  ];
  const showPlans = filteredPage(
    deps,
    { title: 'Plans', section, filters: planFilters },
    async (request, reply, shown) => {
      const list = await listPlans(deps, listQuery(readFilters(PlansFilter, request), request.caller, deps.pageSize));
      const mayChange = may(request.caller, 'subscriptions:write');
      const rows = list.plans.map(plan => [
        html`<code>${plan.id}</code>`,
        [plan.name, plan.archived && html` ${badge('archived')}`],
        priceOf(plan),
        plan.cycles === undefined ? 'without an end' : count(plan.cycles),
        plan.externalId ?? '–',
        plan.accountId,
        when(plan.createdAt),
        mayChange && html`<a class="button secondary small" href="/dashboard/plans/${plan.id}/change">Change</a>`,
      ]);
      const head = ['Plan', 'Name', '#Amount', 'Cycles', 'External id', 'Account', 'Created', ''];
      const page = shell(deps, request, {
        title: 'Plans',
        section,
        acts: mayChange && html`<a class="button" href="/dashboard/plans/new">New plan</a>`,
        body: html`${filterForm(request, shown)}
${table({ caption: 'Plans', head, rows, empty: 'No plan fits these filters.' })}
${pager(request, list)}`,
      });
      return sendHtml(request, reply, page);
    },
  );
  app.get('/dashboard/plans', HIDDEN, showPlans);
}

function boughtText({ symbol, network, settlementSchedule }: NonNullable<ReturnType<typeof termsView>['crypto']>) {
  return `${symbol} on ${network}, ${settlementSchedule}`;
}

function priceOf({ amountCents, currency, interval }: ReturnType<typeof termsView>): Piece {
  return html`${amountOf(amountCents, currency)} ${interval}`;
}

function amountOf(cents: number, currency: string): Piece {
  return cost(formatUnits(BigInt(cents), 2), currency);
}

function queryFor({ pageSize }: Deps, request: FastifyRequest) {
  return listQuery(readFilters(SubscriptionsFilter, request), request.caller, pageSize);
}

const CSV: Columns<Awaited<ReturnType<typeof listSubscriptions>>['subscriptions'][number]> = {
  id: subscription => subscription.id,
  account: subscription => subscription.accountId,
  'external id': subscription => subscription.externalId,
  plan: subscription => subscription.planId,
  customer: subscription => subscription.customerId,
  status: subscription => subscription.status,
  cents: subscription => subscription.amountCents,
  currency: subscription => subscription.currency,
  interval: subscription => subscription.interval,
  day: subscription => subscription.day,
  cycles: subscription => subscription.cycles,
  symbol: subscription => subscription.crypto?.symbol,
  network: subscription => subscription.crypto?.network,
  wallet: subscription => subscription.walletId,
  'canceled on': subscription => subscription.cancelOn,
  created: subscription => subscription.createdAt,
  ended: subscription => subscription.endedAt,
};
