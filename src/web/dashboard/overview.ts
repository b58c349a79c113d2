// The first page: what needs a person, then the figures.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listUnmatched } from '../../charges/list-unmatched.ts';
import { readRails } from '../../charges/store-rails.ts';
import { suggestCharges } from '../../charges/suggest.ts';
import { listWebhooks } from '../../events/list.ts';
import { MAX_PAGE_SIZE } from '../../lib/paging.ts';
import { listHeldOrders } from '../../orders/list.ts';
import { readHalts } from '../../payouts/store-senders.ts';
import { type Html, html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { type Figures, moneyChart, todayFigures } from './figures.ts';
import { HOLDS, waysOut } from './holds.ts';
import { unmatchedTable } from './money.ts';
import { badge, count, idLink, table, when } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & { readonly figures: Figures };

const FIRST = { page: 1, pageSize: 10 };

/** One thing that needs a person; nothing when it does not. */
type Need = Html | undefined;

export function overviewPage(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard', { config: { scope: 'charges:read' }, schema: { hide: true } }, async (request, reply) => {
    const [figures, ...needs] = await Promise.all([
      deps.figures(request.caller?.accountId),
      heldOrders(deps, request),
      unmatchedMoney(deps, request),
      failingWebhooks(deps, request),
      silentRails(deps, request),
      haltedSenders(deps, request),
    ]);
    const shown = needs.filter(need => need !== undefined);
    const page = shell(deps, request, {
      title: 'Needs you',
      section: 'overview',
      version: await deps.versionOf(),
      body: html`<div data-live="needs">${shown.length === 0 ? html`<p class="card calm">Nothing needs you. What changes shows here by itself.</p>` : shown}</div>
<h2 class="section">Today</h2><div data-live="figures">${todayFigures(figures)}${moneyChart(figures)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
}

function need(title: string, total: number, href: string, body: Piece): Need {
  if (total === 0) return undefined;
  return html`<section class="card attention"><div class="title"><h2>${title} <span class="badge warn">${count(total)}</span></h2><a href="${href}">See all</a></div>${body}</section>`;
}

async function heldOrders(deps: Deps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'transactions:read')) return undefined;
  const accountId = caller?.accountId;
  const { orders, total } = await listHeldOrders(deps, { ...FIRST, ...(accountId !== undefined && { accountId }) });
  const rows = orders.map(order => [
    idLink(`/dashboard/orders/${order.transactionId}`, order.transactionId),
    `${order.exact.quantity} ${order.symbol.toUpperCase()}`,
    order.holdReason && [badge(order.holdReason), html` ${HOLDS[order.holdReason].words}`],
    when(order.heldAt),
    waysOut(caller, order),
  ]);
  return need(
    'Orders on hold',
    total,
    '/dashboard/orders?show=held',
    table({ caption: 'Orders on hold', head: ['Order', '#Quantity', 'Why', 'Since', ''], rows }),
  );
}

async function unmatchedMoney(deps: Deps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'payments:read')) return undefined;
  const { payments, total } = await listUnmatched(deps, FIRST);
  const suggestions = await suggestCharges(deps.db, payments, caller?.accountId);
  return need(
    'Money without a charge',
    total,
    '/dashboard/unmatched',
    unmatchedTable(payments, suggestions, may(caller, 'payments:write')),
  );
}

async function failingWebhooks(deps: Deps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'webhooks:read')) return undefined;
  const { webhooks } = await listWebhooks(deps, { page: 1, pageSize: MAX_PAGE_SIZE }, caller?.accountId);
  const failing = webhooks.filter(({ health, disabledReason }) => health === 'failing' || disabledReason !== undefined);
  const rows = failing.map(webhook => [
    html`<a href="/dashboard/webhooks/${webhook.id}">${webhook.url}</a>`,
    badge(webhook.disabledReason ?? webhook.health),
    webhook.lastError ?? '–',
    when(webhook.failingSince),
  ]);
  return need(
    'Webhooks that fail',
    failing.length,
    '/dashboard/webhooks',
    table({ caption: 'Webhooks that fail', head: ['Address', 'Health', 'Last error', 'Since'], rows }),
  );
}

async function silentRails(deps: Deps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'metrics:read')) return undefined;
  const rails = (await readRails(deps.db)).filter(
    ({ silentSince, compared }) => silentSince || (compared?.differences ?? 0) > 0,
  );
  const rows = rails.map(({ name, method, silentSince, compared }) => [
    name,
    method,
    silentSince
      ? html`does not answer since ${when(silentSince)}`
      : `${compared?.differences} differences to the bank's record`,
  ]);
  return need(
    'Rails',
    rails.length,
    '/dashboard/health',
    table({ caption: 'Rails that need a look', head: ['Rail', 'Method', 'What'], rows }),
  );
}

async function haltedSenders(deps: Deps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'metrics:read')) return undefined;
  const senders = await readHalts(deps.db);
  const rows = senders.map(({ network, sender, haltedAt }) => [
    network,
    html`<code class="long">${sender}</code>`,
    when(haltedAt),
    html`<code>trilho payouts resume ${network} …</code>`,
  ]);
  return need(
    'Halted senders',
    senders.length,
    '/dashboard/health',
    table({ caption: 'Halted senders', head: ['Network', 'Sender', 'Since', 'Way out'], rows }),
  );
}
