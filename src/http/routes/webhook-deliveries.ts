// What a webhook was sent: listed, sent again, replayed; and a test event.
import type { FastifyInstance } from 'fastify';
import { momentOf, toPageQuery } from '../../api/paging.ts';
import { Uuid } from '../../api/schemas.ts';
import {
  DELIVERIES_EXAMPLE,
  DELIVERY_EXAMPLE,
  DeliveriesPage,
  DeliveriesQuery,
  DeliveryView,
  PING_EXAMPLE,
  PingResult,
  REPLAY_EXAMPLE,
  ReplayQuery,
  ReplayResult,
} from '../../api/webhooks.ts';
import type { DeliverDeps } from '../../events/deliver.ts';
import { listDeliveries } from '../../events/list.ts';
import { pingWebhook } from '../../events/ping.ts';
import { redeliver, replayEvents } from '../../events/redeliver.ts';
import { requireWebhook } from '../../events/require-webhook.ts';
import { deliveryView } from '../../events/webhook-view.ts';
import { accepted, ok } from '../server/answers.ts';
import { idOf, pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Webhooks';
const path = idOf('webhook');

export function webhookDeliveryRoutes(app: FastifyInstance, deps: DeliverDeps & { readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries',
    description: 'Newest events first, each with its attempts. `state=failed` lists what was given up.',
    tag,
    path,
    query: DeliveriesQuery,
    answer: ok(DeliveriesPage, 'A page of deliveries', DELIVERIES_EXAMPLE),
    handle: async ({ path: { id }, query, caller }) => {
      const page = { ...toPageQuery(query, deps.pageSize), state: query.state };
      return listDeliveries(deps, id, page, caller?.accountId);
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/webhooks/:id/deliveries/:deliveryId/redeliver',
    operationId: 'redeliverWebhookDelivery',
    summary: 'Send an event again',
    description: 'In whatever state the delivery is: it is due now and has all its attempts again.',
    tag,
    path: pathOf({ id: Uuid(), deliveryId: Uuid() }, { id: 'webhook', deliveryId: 'delivery' }),
    answer: accepted(DeliveryView, 'It will be sent', DELIVERY_EXAMPLE),
    handle: async ({ path: { id, deliveryId }, caller }) =>
      deliveryView(await redeliver(deps, { webhookId: id, deliveryId }, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/webhooks/:id/replay',
    operationId: 'replayWebhook',
    summary: 'Send all events since a moment again',
    description:
      'Every event of its types, delivered before or not, in order; also events from before the webhook was created. One replay at a time.',
    tag,
    path,
    query: ReplayQuery,
    answer: accepted(ReplayResult, 'They will be sent', REPLAY_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, query, caller }) => {
      const since = new Date(momentOf(query.from).ceilMs);
      const events = await replayEvents(deps, { webhookId: id, since }, caller?.accountId);
      return { from: since.toISOString(), events };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/webhooks/:id/ping',
    operationId: 'pingWebhook',
    summary: 'Send a test event',
    description:
      'A signed event `webhook.ping`, sent at once and kept nowhere. The answer shows what the address answered.',
    tag,
    path,
    answer: ok(PingResult, 'What the address answered', PING_EXAMPLE),
    handle: async ({ path: { id }, caller }) => pingWebhook(deps, await requireWebhook(deps.db, id, caller?.accountId)),
  });
}
