// Routes of deliveries of a webhook: list, redeliver, replay; and a test event.
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
    description: 'Newest events first, each with its attempts. `state=failed` lists deliveries that were given up.',
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
    description: 'In any state of the delivery: it is sent now and gets a full set of attempts.',
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
    summary: 'Replay all events since a moment',
    description:
      'Every event of its types, delivered or not, in order, including events from before the webhook was created. One replay at a time.',
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
      'A signed event `webhook.ping`, sent at once and not recorded. The answer shows the response of the address.',
    tag,
    path,
    answer: ok(PingResult, 'The response of the address', PING_EXAMPLE),
    handle: async ({ path: { id }, caller }) => pingWebhook(deps, await requireWebhook(deps.db, id, caller?.accountId)),
  });
}
