// Routes of webhooks: addresses that events are sent to.
import type { FastifyInstance } from 'fastify';
import { toPageQuery } from '../../api/paging.ts';
import {
  SECRET_EXAMPLE,
  WEBHOOK_EXAMPLE,
  WEBHOOKS_EXAMPLE,
  WebhookBody,
  WebhookChanges,
  WebhooksPage,
  WebhooksQuery,
  WebhookView,
  WebhookWithSecret,
} from '../../api/webhooks.ts';
import { changeWebhook, deleteWebhook, rotateSecret } from '../../events/change-webhook.ts';
import { createWebhook, type WebhookDeps } from '../../events/create-webhook.ts';
import { listWebhooks } from '../../events/list.ts';
import { requireWebhook } from '../../events/require-webhook.ts';
import { checkWebhookUrl } from '../../events/webhook-url.ts';
import { webhookView } from '../../events/webhook-view.ts';
import { created, LOCATION, ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Webhooks';
const path = idOf('webhook');

export function webhookRoutes(app: FastifyInstance, deps: WebhookDeps & { readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'POST',
    url: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: 'It receives every event from now on. Only this answer shows the secret that signs them.',
    tag,
    body: WebhookBody,
    checkWhenRefused: ({ body }) => checkWebhookUrl(deps, body.url),
    answer: created(WebhookWithSecret, 'The webhook, with its secret', SECRET_EXAMPLE, LOCATION),
    problems: ['wrong_state'],
    handle: async ({ body, caller }, reply) => {
      const accountId = accountOf(caller, body.accountId);
      const { webhook, secret } = await createWebhook(deps, { ...body, accountId });
      reply.header('location', `/webhooks/${webhook.id}`);
      return { ...webhookView(webhook), secret };
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Newest first.',
    tag,
    query: WebhooksQuery,
    answer: ok(WebhooksPage, 'A page of webhooks', WEBHOOKS_EXAMPLE),
    handle: async ({ query, caller }) =>
      listWebhooks(deps, toPageQuery(query, deps.pageSize), accountOf(caller, query.accountId)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    tag,
    path,
    answer: ok(WebhookView, 'The webhook', WEBHOOK_EXAMPLE),
    handle: async ({ path: { id }, caller }) => webhookView(await requireWebhook(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/webhooks/:id',
    operationId: 'changeWebhook',
    summary: 'Change a webhook',
    description: 'Absent fields stay. A webhook that is enabled again gets everything it missed.',
    tag,
    path,
    body: WebhookChanges,
    checkWhenRefused: ({ body }) => checkWebhookUrl(deps, body.url),
    answer: ok(WebhookView, 'The webhook as it is then', WEBHOOK_EXAMPLE),
    handle: async ({ path: { id }, body, caller }) =>
      webhookView(await changeWebhook(deps, id, body, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/webhooks/:id',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Nothing more is sent to it, and its deliveries are deleted.',
    tag,
    path,
    answer: ok(WebhookView, 'The webhook as it was', WEBHOOK_EXAMPLE),
    handle: async ({ path: { id }, caller }) => webhookView(await deleteWebhook(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret',
    description: 'For a day both secrets sign, so that a receiver can switch; then the old one is deleted.',
    tag,
    path,
    answer: ok(WebhookWithSecret, 'The webhook, with its new secret', SECRET_EXAMPLE),
    handle: async ({ path: { id }, caller }) => {
      const { webhook, secret } = await rotateSecret(deps, id, caller?.accountId);
      return { ...webhookView(webhook), secret };
    },
  });
}
