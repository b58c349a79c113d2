// What a webhook was sent and what it missed: listed, sent again, replayed; and a word with it right now.
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { DeliverDeps } from '../events/deliver.ts';
import { pingWebhook } from '../events/ping.ts';
import { readDeliveries, sendAgain } from '../events/store-delivery-list.ts';
import { insertReplay } from '../events/store-fan-out.ts';
import { placeEvents } from '../events/store-feed.ts';
import { DELIVERY_STATES } from '../events/webhook.ts';
import { apart } from '../lib/act.ts';
import { parseUtc } from '../lib/date-times.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { isUuid, uuidV7 } from '../lib/ids.ts';
import { countPages } from '../lib/paging.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { OneOf, UtcDateTime } from './schemas.ts';
import { DELIVERY_EXAMPLE, deliveryView } from './webhook-schemas.ts';
import { readNothing, requireWebhook, webhookParams } from './webhooks.ts';

type ById = { Params: { id: string } };

const { page, pageSize } = pageParameters;
const DeliveriesQuery = Type.Object(
  { state: Type.Optional(OneOf(DELIVERY_STATES, { description: 'Only these.' })), page, pageSize },
  { additionalProperties: false },
);
const DeliveriesPage = Type.Object(
  { deliveries: Type.Array(Type.Unsafe<object>({ $ref: 'WebhookDelivery#' })), ...pageCounts },
  { $id: 'DeliveriesPage', additionalProperties: false },
);
const PAGE_EXAMPLE = { deliveries: [DELIVERY_EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false };
const ReplayQuery = Type.Object(
  { from: UtcDateTime({ description: 'Everything that happened at this moment or later, in UTC.' }) },
  { additionalProperties: false },
);

const readQuery = reader(DeliveriesQuery, 'query');
const readReplay = reader(ReplayQuery, 'query');

export function webhookDeliveryRoutes(app: FastifyInstance, deps: DeliverDeps & { readonly pageSize: number }): void {
  app.addSchema(DeliveriesPage);
  app.get<ById>(
    '/webhooks/:id/deliveries',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List what a webhook was sent',
        description: 'Newest events first, each with every attempt: `state=failed` is what it missed for good.',
        tags: ['Webhooks'],
        params: webhookParams,
        querystring: DeliveriesQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'DeliveriesPage#' }), 'A page of deliveries', PAGE_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const { id } = await requireWebhook(deps.db, request);
      const query = toPageQuery(clean, deps.pageSize);
      const { deliveries, total } = await readDeliveries(deps.db, id, { ...query, state: clean.state });
      return { deliveries: deliveries.map(deliveryView), ...countPages(total, query) };
    },
  );

  app.post<{ Params: { id: string; deliveryId: string } }>(
    '/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'redeliverWebhookDelivery',
        summary: 'Send one event again',
        description: 'In whatever state it is: it is due now and has all its tries again.',
        tags: ['Webhooks'],
        params: Type.Object({ ...webhookParams.properties, deliveryId: Type.String({ format: 'uuid' }) }),
        response: {
          202: jsonResponse(Type.Unsafe({ $ref: 'WebhookDelivery#' }), 'It will be sent', DELIVERY_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { faults } = readNothing(request.body ?? {});
      if (faults.length > 0) throw invalidRequest(faults);
      const { id } = await requireWebhook(deps.db, request);
      const deliveryId = request.params.deliveryId.toLowerCase();
      await deps.clock.refresh();
      const now = deps.clock.now();
      const again = isUuid(deliveryId) && (await deps.db.transaction(tx => sendAgain(tx, id, deliveryId, now)));
      if (!again) throw new AppError('not_found', 'There is no such delivery.');
      reply.code(202);
      return deliveryView(again);
    },
  );

  app.post<ById>(
    '/webhooks/:id/replay',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'replayWebhook',
        summary: 'Send everything since a moment again',
        description: 'Every event that it asks for, delivered before or not, in order; also from before it was made.',
        tags: ['Webhooks'],
        params: webhookParams,
        querystring: ReplayQuery,
        response: {
          202: jsonResponse(Type.Unsafe({ $ref: 'ReplayResult#' }), 'They will be sent', {
            from: '2026-11-16T00:00:00.000Z',
            events: 12,
          }),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readReplay(request.query);
      const { faults: bodyFaults } = readNothing(request.body ?? {});
      const allFaults = [...faults, ...bodyFaults];
      if (allFaults.length > 0) throw invalidRequest(allFaults);
      const webhook = await requireWebhook(deps.db, request);
      await deps.clock.refresh();
      const now = deps.clock.now();
      const since = new Date(parseUtc(clean.from!)!.ceilMs);
      await apart(() => placeEvents(deps.db));
      const replay = { id: uuidV7(now), webhookId: webhook.id, since };
      const events = await deps.db.transaction(tx => insertReplay(tx, replay, now));
      reply.code(202);
      return { from: since.toISOString(), events };
    },
  );

  app.post<ById>(
    '/webhooks/:id/ping',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'pingWebhook',
        summary: 'Send a signed word right now',
        description: 'An event `webhook.ping`, kept nowhere. The answer tells what came of it.',
        tags: ['Webhooks'],
        params: webhookParams,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'PingResult#' }), 'What came of it', {
            eventId: '019a8b62-2c13-7d44-8e55-6f6677889900',
            success: true,
            status: 200,
            answer: 'ok',
            latencyMs: 38,
          }),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { faults } = readNothing(request.body ?? {});
      if (faults.length > 0) throw invalidRequest(faults);
      return pingWebhook(deps, await requireWebhook(deps.db, request));
    },
  );
}
