// Acts on webhooks: create, change, test, redeliver, rotate the secret, delete.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireWebhook } from '../../events/require-webhook.ts';
import { html } from '../html.ts';
import { type Act, type ActDeps, accountIn, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import { accountField } from './choices.ts';
import { type Fields, filled, textField } from './form.ts';
import { facts } from './parts.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_TYPES_LENGTH = 2_000;

export function webhookActs(app: FastifyInstance, deps: ActDeps): void {
  async function ask(request: FastifyRequest, id: string, title: string, text: string, button: string) {
    const { url } = await requireWebhook(deps.db, id.toLowerCase(), request.caller?.accountId);
    return {
      title,
      text: html`<p>${text}</p>${facts([['Address', html`<code class="long">${url}</code>`]])}`,
      button,
      back: `/dashboard/webhooks/${id}`,
    };
  }

  type Texts = readonly [title: string, text: string, button: string];
  function onWebhook(verb: string, [title, text, button]: Texts, rest: Pick<Act, 'call'> & Partial<Act>): void {
    defineAct(app, deps, {
      url: `/webhooks/:id/${verb}`,
      section: 'webhooks',
      ask: (request, { id = '' }) => ask(request, id, title, text, button),
      done: (_, { id = '' }) => `/dashboard/webhooks/${id}`,
      ...rest,
    });
  }
  const at = (id = '') => `/webhooks/${encodeURIComponent(id)}`;

  onWebhook('ping', ['Send a test event?', 'A signed webhook.ping is sent now; it is not recorded.', 'Send it'], {
    call: (_, { id }) => ({ method: 'POST', url: `${at(id)}/ping`, body: {} }),
    done: (value, { id = '' }) => ({
      title: 'What the address answered',
      shown: html`<section class="card">${facts(Object.entries(value).map(([name, said]) => [name, String(said)] as const))}<p><a href="/dashboard/webhooks/${id}">Back to the webhook</a></p></section>`,
    }),
  });
  onWebhook(
    'rotate',
    ['Rotate the secret?', 'For a day both secrets sign, so that the receiver can switch.', 'Rotate'],
    {
      countsForms: true,
      call: (_, { id }) => ({ method: 'POST', url: `${at(id)}/rotate-secret`, body: {} }),
      done: ({ secret }, { id = '' }) => secretPage(textOf(secret), id),
    },
  );
  onWebhook('enable', ['Enable it again?', 'It gets everything that it missed.', 'Enable'], {
    call: (_, { id }) => ({ method: 'PATCH', url: at(id), body: { enabled: true } }),
  });
  onWebhook(
    'disable',
    ['Disable it?', 'Nothing is sent until it is enabled; then it gets what it missed.', 'Disable'],
    {
      call: (_, { id }) => ({ method: 'PATCH', url: at(id), body: { enabled: false } }),
    },
  );
  onWebhook('delete', ['Delete it?', 'Nothing more is sent to it, and its deliveries are deleted.', 'Delete'], {
    call: (_, { id }) => ({ method: 'DELETE', url: at(id) }),
    done: () => '/dashboard/webhooks',
  });
  onWebhook(
    'deliveries/:deliveryId/redeliver',
    ['Send this event again?', 'It is sent now and gets a full set of attempts.', 'Send again'],
    {
      call: (_, { id, deliveryId = '' }) => ({
        method: 'POST',
        url: `${at(id)}/deliveries/${encodeURIComponent(deliveryId)}/redeliver`,
        body: {},
      }),
    },
  );
  onWebhook('change', ['', '', ''], {
    ask: async (request, { id = '' }) => {
      const { url, types } = await requireWebhook(deps.db, id.toLowerCase(), request.caller?.accountId);
      return {
        title: 'Change this webhook',
        text: html`<p>The change applies from now on. The secret stays.</p>`,
        fields: [
          { name: 'url', label: 'Address', isRequired: true, value: url, maxLength: MAX_URL_LENGTH },
          typesField(types),
        ],
        button: 'Change it',
        back: `/dashboard/webhooks/${id}`,
      };
    },
    call: (fields, { id }) => {
      const body = { url: textField(fields, 'url'), types: typesIn(fields) ?? null };
      return { method: 'PATCH', url: at(id), body };
    },
  });
  onWebhook('replay', ['', '', ''], {
    countsForms: true,
    ask: async (request, { id = '' }) => ({
      ...(await ask(
        request,
        id,
        'Send everything again?',
        'Every event of its types since a day, delivered or not.',
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
    section: 'webhooks',
    countsForms: true,
    ask: async request => ({
      title: 'New webhook',
      text: html`<p>Its secret is shown once.</p>`,
      fields: [
        { name: 'url', label: 'Address', isRequired: true, hint: 'https://…', maxLength: MAX_URL_LENGTH },
        ...(await accountField(deps, request)),
        typesField(),
        {
          name: 'enabled',
          label: 'It receives events',
          type: 'select',
          options: [
            { value: 'true', label: 'from now on' },
            { value: 'false', label: 'once it is enabled' },
          ],
        },
      ],
      button: 'Create the webhook',
      back: '/dashboard/webhooks',
    }),
    call: (fields, _, request) => {
      const types = typesIn(fields);
      const body = {
        ...accountIn(fields, request),
        ...filled(fields, ['url']),
        ...(types && { types }),
        ...(textField(fields, 'enabled') === 'false' && { enabled: false }),
      };
      return { method: 'POST', url: '/webhooks', body };
    },
    done: ({ secret, id }) => secretPage(textOf(secret), textOf(id)),
  });
}

function typesField(types: readonly string[] = []): Field {
  return {
    name: 'types',
    label: 'Events',
    value: types.join(' '),
    maxLength: MAX_TYPES_LENGTH,
    hint: 'Such as charge.paid charge.refunded. Left empty: every event.',
  };
}

function typesIn(fields: Fields): readonly string[] | undefined {
  const types = textField(fields, 'types');
  return types === '' ? undefined : types.split(/[\s,]+/);
}

function secretPage(secret: string, id: string) {
  return {
    title: 'The secret of the webhook',
    shown: html`<section class="card"><p>It is shown only once. Put it where the receiver keeps its secrets.</p><p><code class="long">${secret}</code></p><p><a class="button" href="/dashboard/webhooks/${id}">I have saved it</a></p></section>`,
  };
}
