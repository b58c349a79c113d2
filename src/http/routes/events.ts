// Routes of events: the feed, page by page, and one event.
import type { FastifyInstance } from 'fastify';
import { DEFAULT_LIMIT, EVENT_EXAMPLE, EVENTS_EXAMPLE, Event, EventsPage, EventsQuery } from '../../api/events.ts';
import { type FeedDeps, readFeed, requirePosition } from '../../events/feed.ts';
import { requireEvent } from '../../events/require-event.ts';
import { jsonText, ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Events';

export function eventRoutes(app: FastifyInstance, deps: FeedDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/events',
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Oldest first, in an order that never changes. A reader that continues with each `cursor` gets every event exactly once, including new ones.',
    tag,
    query: EventsQuery,
    answer: ok(EventsPage, 'Events, oldest first', EVENTS_EXAMPLE),
    handle: async ({ query, caller }) => {
      const { after, limit = DEFAULT_LIMIT, accountId: asked, ...rest } = query;
      const accountId = accountOf(caller, asked);
      const filter = { ...rest, ...(accountId !== undefined && { accountId }) };
      const from = await requirePosition(deps, after, filter);
      const { events, end, hasMore } = await readFeed(deps, from, { limit, ...filter });
      // The events are stored as JSON; parsing them here would round their decimals.
      const list = events.map(({ json }) => json).join(',');
      return jsonText(`{"events":[${list}],"cursor":${JSON.stringify(deps.cursors.textOf(end))},"hasMore":${hasMore}}`);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/events/:id',
    operationId: 'getEvent',
    summary: 'Read an event',
    tag,
    path: idOf('event'),
    answer: ok(Event, 'The event', EVENT_EXAMPLE),
    handle: async ({ path, caller }) => jsonText(await requireEvent(deps.db, path.id, caller?.accountId)),
  });
}
