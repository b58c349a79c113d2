// Webhooks: their health, and their deliveries with every attempt.
import type { FastifyInstance } from 'fastify';
import { toPageQuery } from '../../api/paging.ts';
import { DeliveriesQuery, WebhooksQuery } from '../../api/webhooks.ts';
import { listDeliveries, listWebhooks } from '../../events/list.ts';
import { requireWebhook } from '../../events/require-webhook.ts';
import { DELIVERY_STATES } from '../../events/webhook.ts';
import { webhookView } from '../../events/webhook-view.ts';
import { accountOf } from '../../http/server/auth.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ActDeps } from './act.ts';
import type { ListDeps } from './charges.ts';
import { filterForm, readFilters } from './filters.ts';
import { count, when } from './formats.ts';
import { badge, facts, pager, table } from './parts.ts';
import { objectLink } from './records.ts';
import { may, shell } from './shell.ts';
import { webhookActs } from './webhook-acts.ts';

type Deps = ListDeps & ActDeps;
const HIDDEN = { schema: { hide: true } } as const;

export function webhookPages(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard/webhooks', HIDDEN, async (request, reply) => {
    const { accountId, ...rest } = readFilters(WebhooksQuery, request);
    const { webhooks, ...counts } = await listWebhooks(
      deps,
      toPageQuery(rest, deps.pageSize),
      accountOf(request.caller, accountId),
    );
    const rows = webhooks.map(webhook => [
      html`<a href="/dashboard/webhooks/${webhook.id}">${webhook.url}</a>`,
      badge(webhook.health),
      webhook.accountId ?? 'all accounts',
      webhook.types?.join(', ') ?? 'every event',
      webhook.lastErrorAt ? html`${webhook.lastError}, ${when(webhook.lastErrorAt)}` : '–',
    ]);
    const page = shell(deps, request, {
      title: 'Webhooks',
      section: 'webhooks',
      acts:
        may(request.caller, 'webhooks:write') && html`<a class="button" href="/dashboard/webhooks/new">New webhook</a>`,
      body: html`${table({ caption: 'Webhooks', head: ['Address', 'Health', 'Account', 'Events', 'Last error'], rows, empty: 'There is no webhook yet.' })}${pager(request, counts)}`,
    });
    return sendHtml(request, reply, page);
  });

  app.get<{ Params: { id: string } }>('/dashboard/webhooks/:id', HIDDEN, async (request, reply) => {
    const id = request.params.id.toLowerCase();
    const webhook = webhookView(await requireWebhook(deps.db, id, request.caller?.accountId));
    const { state, ...rest } = readFilters(DeliveriesQuery, request);
    const list = await listDeliveries(
      deps,
      id,
      { ...toPageQuery(rest, deps.pageSize), state },
      request.caller?.accountId,
    );
    const mayChange = may(request.caller, 'webhooks:write');
    const act = (verb: string, label: string) =>
      html`<a class="button secondary small" href="/dashboard/webhooks/${id}/${verb}">${label}</a> `;
    const page = shell(deps, request, {
      title: 'Webhook',
      section: 'webhooks',
      version: await deps.versionOf(),
      acts: mayChange && [
        act('ping', 'Send a test event'),
        act('change', 'Change'),
        act('replay', 'Replay'),
        act('rotate', 'Rotate the secret'),
        act(webhook.enabled ? 'disable' : 'enable', webhook.enabled ? 'Disable' : 'Enable'),
        act('delete', 'Delete'),
      ],
      body: html`<section class="card">${facts([
        ['Address', html`<code class="long">${webhook.url}</code>`],
        ['Health', badge(webhook.health)],
        ['Account', webhook.accountId ?? 'all accounts'],
        ['Events', webhook.types?.join(', ') ?? 'every event'],
        ['Fails since', webhook.failingSince && when(webhook.failingSince)],
        ['Last error', webhook.lastError],
      ])}</section>
<section class="card"><h2>Deliveries</h2>${filterForm(request, [{ name: 'state', label: 'State', options: DELIVERY_STATES }])}
<div data-live="list">${table({
        caption: 'Deliveries',
        head: ['Created', 'Event', 'Of', 'State', 'Attempts', ''],
        rows: list.deliveries.map(delivery => [
          when(delivery.createdAt),
          html`<a href="/dashboard/events/${delivery.eventId}">${delivery.eventType}</a>`,
          objectLink(delivery.eventType, delivery.objectId),
          badge(delivery.state),
          attempts(delivery.attempts),
          mayChange &&
            html`<a class="button secondary small" href="/dashboard/webhooks/${id}/deliveries/${delivery.id}/redeliver">Send again</a>`,
        ]),
        empty: 'Nothing was sent yet.',
      })}${pager(request, list)}</div></section>`,
    });
    return sendHtml(request, reply, page);
  });

  webhookActs(app, deps);
}

type Attempt = {
  readonly at: string;
  readonly status?: number;
  readonly latencyMs?: number;
  readonly error?: string;
  readonly answer?: string;
};

function attempts(list: readonly Attempt[]): Piece {
  if (list.length === 0) return '–';
  const last = list.at(-1);
  return html`<details><summary>${count(list.length)}, last ${last?.status ?? last?.error ?? 'under way'}</summary><ol class="attempts">${list.map(
    ({ at, status, latencyMs, error, answer }) =>
      html`<li>${when(at)} ${status ?? error}${latencyMs !== undefined && `, ${count(latencyMs)} ms`}${answer && html`<pre class="long">${answer}</pre>`}</li>`,
  )}</ol></details>`;
}
