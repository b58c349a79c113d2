// GET /events and GET /events/{id}.
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { cursorOf, readFeed, requirePlace } from '../events/feed.ts';
import { findEvent } from '../events/store-feed.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Database } from '../storage/database.ts';
import { accountOf } from './auth.ts';
import { EVENT_EXAMPLE, EVENT_TYPES, Event } from './event-types.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { OneOf, Text } from './schemas.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const after = Type.Optional(
  Text({
    description: 'The `cursor` of the page before; from the beginning when absent. `end`: only what is to come.',
  }),
);
export const eventFilters = {
  type: Type.Optional(OneOf(EVENT_TYPES, { description: 'Only events of this type.' })),
  accountId: Type.Optional(Text({ description: 'Only events of this account.' })),
  objectId: Type.Optional(Type.String({ format: 'uuid', description: 'Only events of this object.' })),
};

const EventsQuery = Type.Object(
  {
    after,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
    ...eventFilters,
  },
  { additionalProperties: false },
);

const EventsPage = Type.Object(
  {
    events: Type.Array(Type.Unsafe<object>({ $ref: 'Event#' })),
    cursor: Type.String({ description: 'Where to go on, also when there are no more for now.' }),
    hasMore: Type.Boolean(),
  },
  { $id: 'EventsPage', additionalProperties: false },
);

export const CURSOR_EXAMPLE = '1042-7d0e6f1a2b3c';
const EXAMPLE = { events: [EVENT_EXAMPLE], cursor: CURSOR_EXAMPLE, hasMore: false };

const readQuery = reader(EventsQuery, 'query');

export function eventRoutes(app: FastifyInstance, deps: { readonly db: Database }): void {
  app.addSchema(Event);
  app.addSchema(EventsPage);
  app.get(
    '/events',
    {
      config: { scope: 'events:read' },
      schema: {
        operationId: 'listEvents',
        summary: 'Read what happened',
        description:
          'In an order that never changes. Whoever goes on with each `cursor` meets every event once, whatever happens meanwhile.',
        tags: ['Events'],
        querystring: EventsQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'EventsPage#' }), 'Events, oldest first', EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const { after: cursor, limit = DEFAULT_LIMIT, accountId: asked, ...rest } = clean;
      const accountId = accountOf(request, asked);
      const filter = { ...rest, ...(accountId !== undefined && { accountId }) };
      const { events, end, hasMore } = await readFeed(deps, await requirePlace(deps, cursor), { limit, ...filter });
      reply.type('application/json; charset=utf-8');
      // The events are JSON already; reading them here would spoil their decimals.
      const list = events.map(({ json }) => json).join(',');
      return `{"events":[${list}],"cursor":${JSON.stringify(cursorOf(end))},"hasMore":${hasMore}}`;
    },
  );

  app.get<{ Params: { id: string } }>(
    '/events/:id',
    {
      config: { scope: 'events:read' },
      schema: {
        operationId: 'getEvent',
        summary: 'Read an event',
        tags: ['Events'],
        params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Event#' }), 'The event', EVENT_EXAMPLE),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const id = request.params.id.toLowerCase();
      const json = isUuid(id) ? await findEvent(deps.db, id, request.caller?.accountId) : undefined;
      if (json === undefined) throw new AppError('not_found', 'There is no such event.');
      reply.type('application/json; charset=utf-8');
      return json;
    },
  );
}
