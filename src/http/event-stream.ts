// GET /events/stream: the feed as server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { cursorOf, readFeed, requirePlace } from '../events/feed.ts';
import type { FeedFilter, Place } from '../events/store-feed.ts';
import { type FeedWatch, watchFeed } from '../events/watch.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { accountOf } from './auth.ts';
import { EVENT_EXAMPLE } from './event-types.ts';
import { after, CURSOR_EXAMPLE, eventFilters } from './events.ts';
import { RETRY_AFTER_SECONDS } from './problem.ts';
import { reader } from './reader.ts';
import { problemResponses } from './responses.ts';

type Deps = { readonly db: Database; readonly log: Log };

/** Of one account, or of everybody in a sandbox, on one node. */
const MAX_STREAMS = 100;
/** What is read ahead of a slow reader, at most. */
const PAGE_SIZE = 100;
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 1_000;
const LOOK_AT_KEY_MS = 800;

const StreamQuery = Type.Object({ after, ...eventFilters }, { additionalProperties: false });
const StreamHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(Type.String({ description: 'Goes before `after`: where the last stream ended.' })),
});

const readQuery = reader(StreamQuery, 'query');

export function eventStreamRoutes(app: FastifyInstance, deps: Deps): void {
  const watch = watchFeed(deps);
  /** Each open stream with whose it is. */
  const streams = new Map<AbortController, string>();
  // They would go on for ever, and the stop would wait for them.
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.abort();
  });

  app.get(
    '/events/stream',
    {
      config: { scope: 'events:read', isLasting: true },
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow what happens',
        description:
          'The same events in the same order as server-sent events, each with its cursor as `id`. A client that comes back with `Last-Event-ID` misses nothing.',
        tags: ['Events'],
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: {
          200: {
            description: 'Events as they happen',
            content: {
              'text/event-stream': {
                schema: Type.String(),
                example: `id: ${CURSOR_EXAMPLE}\ndata: ${JSON.stringify(EVENT_EXAMPLE)}\n\n`,
              },
            },
          },
          ...problemResponses('invalid_request', 'malformed_request', 'too_many_streams'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const lastEventId = request.headers['last-event-id'];
      const { after: cursor, accountId: asked, ...rest } = clean;
      const accountId = accountOf(request, asked);
      const filter = { ...rest, ...(accountId !== undefined && { accountId }) };
      const place = await requirePlace(deps, typeof lastEventId === 'string' && lastEventId ? lastEventId : cursor);
      const owner = request.caller?.accountId ?? '';
      if ([...streams.values()].filter(other => other === owner).length >= MAX_STREAMS) {
        reply.header('retry-after', RETRY_AFTER_SECONDS);
        throw new AppError('too_many_streams', `There are ${MAX_STREAMS} streams open already.`);
      }
      const stream = new AbortController();
      streams.set(stream, owner);
      request.raw.socket.once('close', () => stream.abort());
      endWhenRevoked(request, stream);
      stream.signal.addEventListener('abort', () => streams.delete(stream));
      reply.type('text/event-stream; charset=utf-8');
      return reply.send(Readable.from(tell({ ...deps, watch }, place, filter, stream), { objectMode: false }));
    },
  );
}

/** A stream outlives its request, so its key is looked at again: one that is revoked ends it within a second. */
function endWhenRevoked({ stillMayCall }: FastifyRequest, stream: AbortController): void {
  if (!stillMayCall) return;
  const look = setInterval(async () => {
    const may = await stillMayCall().catch(() => true);
    if (!may) stream.abort();
  }, LOOK_AT_KEY_MS);
  stream.signal.addEventListener('abort', () => clearInterval(look));
}

/** Goes on until it is cut. A page is read only when the one before has been taken, so a slow reader costs one page. */
async function* tell(
  deps: Deps & { readonly watch: FeedWatch },
  from: Place,
  filter: FeedFilter,
  stream: AbortController,
): AsyncGenerator<string> {
  try {
    // The place goes along from the start and with every sign of life: who is cut off before an event knows where to go on.
    yield `retry: ${RECONNECT_MS}\nid: ${cursorOf(from)}\n\n`;
    let place = from;
    while (!stream.signal.aborted) {
      const page = await readFeed(deps, place, { limit: PAGE_SIZE, ...filter });
      if (page.events.length > 0) {
        yield page.events.map(event => `id: ${cursorOf(event)}\ndata: ${event.json}\n\n`).join('');
      }
      place = page.end;
      if (page.hasMore) continue;
      const before = place.position;
      const heartbeat = AbortSignal.timeout(HEARTBEAT_MS);
      await deps.watch.waitBeyond(before, AbortSignal.any([stream.signal, heartbeat]));
      if (heartbeat.aborted) yield `: still here\nid: ${cursorOf(place)}\n\n`;
    }
  } finally {
    stream.abort();
  }
}
