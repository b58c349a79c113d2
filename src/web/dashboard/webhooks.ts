// Webhooks: their health, what they were sent with every attempt, and all that can be done with them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EVENT_TYPES } from '../../api/events.ts';
import { toPageQuery } from '../../api/paging.ts';
import { DeliveriesQuery, WebhooksQuery } from '../../api/webhooks.ts';
import { listDeliveries, listWebhooks } from '../../events/list.ts';
import { requireWebhook } from '../../events/require-webhook.ts';
import { DELIVERY_STATES } from '../../events/webhook.ts';
import { webhookView } from '../../events/webhook-view.ts';
import { accountOf } from '../../http/server/auth.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type Act, type ActDeps, accountField, defineAct } from './act.ts';
import { textOf } from './api-call.ts';
import { accountIn, filled } from './charge-acts.ts';
import type { ListDeps } from './charges.ts';
import { textField } from './form.ts';
import { badge, facts, filterForm, pager, readFilters, table, when } from './parts.ts';
import { objectLink } from './records.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & ActDeps;
const READS = { config: { scope: 'webhooks:read' }, schema: { hide: true } } as const;

export function webhookPages(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard/webhooks', READS, async (request, reply) => {
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

  app.get<{ Params: { id: string } }>('/dashboard/webhooks/:id', READS, async (request, reply) => {
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
    const act = (verb: string, words: string) =>
      html`<a class="button secondary small" href="/dashboard/webhooks/${id}/${verb}">${words}</a> `;
    const page = shell(deps, request, {
      title: 'Webhook',
      section: 'webhooks',
      version: await deps.versionOf(),
      acts: mayChange && [
        act('ping', 'Send a test event'),
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
<section class="card"><h2>What it was sent</h2>${filterForm(request, [{ name: 'state', label: 'State', options: DELIVERY_STATES }])}
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
        empty: 'It was sent nothing yet.',
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
  return html`<details><summary>${list.length}, last ${last?.status ?? last?.error ?? 'under way'}</summary><ol class="attempts">${list.map(
    ({ at, status, latencyMs, error, answer }) =>
      html`<li>${when(at)} ${status ?? error}${latencyMs !== undefined && `, ${latencyMs} ms`}${answer && html`<pre class="long">${answer}</pre>`}</li>`,
  )}</ol></details>`;
}

function webhookActs(app: FastifyInstance, deps: Deps): void {
  async function ask(request: FastifyRequest, id: string, title: string, words: string, button: string) {
    const { url } = await requireWebhook(deps.db, id.toLowerCase(), request.caller?.accountId);
    return {
      title,
      words: html`<p>${words}</p>${facts([['Address', html`<code class="long">${url}</code>`]])}`,
      button,
      back: `/dashboard/webhooks/${id}`,
    };
  }

  type Words = readonly [title: string, words: string, button: string];
  function onWebhook(verb: string, [title, words, button]: Words, rest: Pick<Act, 'call'> & Partial<Act>): void {
    defineAct(app, deps, {
      url: `/webhooks/:id/${verb}`,
      scope: 'webhooks:write',
      section: 'webhooks',
      ask: (request, { id = '' }) => ask(request, id, title, words, button),
      done: (_, { id = '' }) => `/dashboard/webhooks/${id}`,
      ...rest,
    });
  }
  const at = (id = '') => `/webhooks/${encodeURIComponent(id)}`;

  onWebhook('ping', ['Send a test event?', 'A signed webhook.ping goes out now and is kept nowhere.', 'Send it'], {
    call: (_, { id }) => ({ method: 'POST', url: `${at(id)}/ping`, body: {} }),
    done: (value, { id = '' }) => ({
      title: 'What the address answered',
      shown: html`<section class="card">${facts(Object.entries(value).map(([name, said]) => [name, String(said)] as const))}<p><a href="/dashboard/webhooks/${id}">Back to the webhook</a></p></section>`,
    }),
  });
  onWebhook(
    'rotate',
    ['Rotate the secret?', 'For a day both secrets sign, so that the receiver can change over.', 'Rotate'],
    {
      call: (_, { id }) => ({ method: 'POST', url: `${at(id)}/rotate-secret`, body: {} }),
      done: ({ secret }, { id = '' }) => secretPage(textOf(secret), id),
    },
  );
  onWebhook('enable', ['Enable it again?', 'It is sent everything that it missed.', 'Enable'], {
    call: (_, { id }) => ({ method: 'PATCH', url: at(id), body: { enabled: true } }),
  });
  onWebhook(
    'disable',
    ['Disable it?', 'Nothing is sent until it is enabled; then it gets what it missed.', 'Disable'],
    {
      call: (_, { id }) => ({ method: 'PATCH', url: at(id), body: { enabled: false } }),
    },
  );
  onWebhook(
    'delete',
    ['Delete it?', 'Nothing is sent to it any more, and its deliveries are gone with it.', 'Delete'],
    {
      call: (_, { id }) => ({ method: 'DELETE', url: at(id) }),
      done: () => '/dashboard/webhooks',
    },
  );
  onWebhook(
    'deliveries/:deliveryId/redeliver',
    ['Send this event again?', 'It is due now and has all its attempts again.', 'Send again'],
    {
      call: (_, { id, deliveryId = '' }) => ({
        method: 'POST',
        url: `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`,
        body: {},
      }),
    },
  );
  onWebhook('replay', ['', '', ''], {
    ask: async (request, { id = '' }) => ({
      ...(await ask(
        request,
        id,
        'Send everything again?',
        'Every event of its types since a day, delivered before or not.',
        'Replay',
      )),
      fields: [{ name: 'day', label: 'Since', type: 'date', isRequired: true }],
    }),
    call: (fields, { id }) => {
      const from = encodeURIComponent(`${textField(fields, 'day')}T00:00:00-03:00`);
      return { method: 'POST', url: `${at(id)}/replay?from=${from}`, body: {} };
    },
  });

  defineAct(app, deps, {
    url: '/webhooks/new',
    scope: 'webhooks:write',
    section: 'webhooks',
    ask: async request => ({
      title: 'New webhook',
      words: html`<p>It receives every event from now on. Its secret is shown once.</p>`,
      fields: [
        { name: 'url', label: 'Address', isRequired: true, hint: 'https://…' },
        ...(await accountField(deps, request)),
        {
          name: 'type',
          label: 'Events',
          type: 'select',
          options: [{ value: '', label: 'every event' }, ...EVENT_TYPES.map(value => ({ value, label: value }))],
        },
      ],
      button: 'Create the webhook',
      back: '/dashboard/webhooks',
    }),
    call: (fields, _, request) => {
      const type = textField(fields, 'type');
      return {
        method: 'POST',
        url: '/webhooks',
        body: { ...accountIn(fields, request), ...filled(fields, ['url']), ...(type !== '' && { types: [type] }) },
      };
    },
    done: ({ secret, id }) => secretPage(textOf(secret), textOf(id)),
  });
}

function secretPage(secret: string, id: string) {
  return {
    title: 'The secret of the webhook',
    shown: html`<section class="card"><p>It is shown this once. Put it where the receiver keeps its secrets.</p><p><code class="long">${secret}</code></p><p><a class="button" href="/dashboard/webhooks/${id}">I have kept it</a></p></section>`,
  };
}
