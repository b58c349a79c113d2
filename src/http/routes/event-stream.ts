// GET /events/stream: the feed as server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { STREAM_EXAMPLE, StreamHeaders, StreamQuery } from '../../api/events.ts';
import { type FeedDeps, readFeed, requirePosition } from '../../events/feed.ts';
import type { FeedFilter, FeedPosition } from '../../events/store-feed.ts';
import { type FeedWatch, watchFeed } from '../../events/watch.ts';
import { AppError } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { media } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { abortWhenGone } from '../server/gone.ts';
import type { Observers } from '../server/observers.ts';
import { defineRoute } from '../server/route.ts';

export type EventStreamDeps = FeedDeps & {
  readonly log: Log;
  readonly heartbeats: Heartbeats;
  readonly showStreams: Observers['showStreams'];
  /** How long a reader may take nothing of what waits for it. */
  readonly streamStallTimeoutMs: number;
};

/** Per account and node; in a sandbox, of all callers together. */
const MAX_STREAMS = 100;
/** What is read ahead of a slow reader, at most; a page ends with the event that reaches its bytes. */
const PAGE_SIZE = 20;
const PAGE_BYTES = 32_768;
export const STREAM_STALL_TIMEOUT_MS = 30_000;
const HEARTBEAT_MS = 15_000;
const RECONNECT_MS = 1_000;
const LOOK_AT_KEY_MS = 800;

export function eventStreamRoutes(app: FastifyInstance, deps: EventStreamDeps): void {
  const watch = watchFeed(deps, 'event streams');
  const streams = new Map<AbortController, OpenStream>();
  deps.showStreams(() => {
    const owed = [...streams.values()].map(({ owedBytes }) => owedBytes());
    return { open: streams.size, owedBytes: owed.reduce((sum, bytes) => sum + bytes, 0) };
  });
  // They would go on for ever, and the stop would wait for them.
  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.abort();
  });

  defineRoute(app, {
    method: 'GET',
    url: '/events/stream',
    isLasting: true,
    operationId: 'streamEvents',
    summary: 'Stream events',
    description:
      'The same events in the same order as server-sent events, each with its cursor as `id`. A client that reconnects with `Last-Event-ID` misses nothing.',
    tag: 'Events',
    query: StreamQuery,
    headers: StreamHeaders,
    answer: media<Readable>('text/event-stream; charset=utf-8', Type.String(), 'Events as they happen', STREAM_EXAMPLE),
    problems: ['too_many_streams'],
    handle: async ({ query, caller, request }, reply) => {
      const lastEventId = request.headers['last-event-id'];
      const { after, accountId: asked, ...rest } = query;
      const accountId = accountOf(caller, asked);
      const filter = { ...rest, ...(accountId !== undefined && { accountId }) };
      const cursor = typeof lastEventId === 'string' && lastEventId ? lastEventId : after;
      const from = await requirePosition(deps, cursor, filter);
      const owner = caller?.accountId ?? '';
      if ([...streams.values()].filter(other => other.owner === owner).length >= MAX_STREAMS) {
        throw new AppError('too_many_streams', `There are ${MAX_STREAMS} streams open already.`);
      }
      const stream = new AbortController();
      const cutOff = () => {
        deps.log.info('an event stream was closed: its reader took nothing');
        // As a connection that takes nothing at all: see unread-answers.ts. This one may have written meanwhile.
        request.raw.socket.resetAndDestroy();
      };
      const events = writeEvents({ ...deps, watch }, from, filter, stream);
      const pieces = cutOffWhenStalled(events, deps.streamStallTimeoutMs, cutOff);
      const body = Readable.from(pieces, { objectMode: false, highWaterMark: PAGE_BYTES });
      streams.set(stream, { owner, owedBytes: () => body.readableLength + reply.raw.writableLength });
      stream.signal.addEventListener('abort', () => streams.delete(stream));
      // HEAD closes it unread.
      body.once('close', () => stream.abort());
      endWhenRevoked(request, stream);
      abortWhenGone(request, stream);
      return body;
    },
  });
}

type OpenStream = {
  /** The account, or none in a sandbox. */
  readonly owner: string;
  /** What was written for the reader and not taken by it, as far as this process holds it. */
  owedBytes(): number;
};

/**
 * Passes pieces on. A piece is asked for when the reader has taken those before it; one that waits longer than the timeout
 * cuts the reader off, which then holds neither memory nor one of the streams, and may come back with Last-Event-ID.
 */
async function* cutOffWhenStalled(
  pieces: AsyncIterable<string>,
  stallTimeoutMs: number,
  cutOff: () => void,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const stall = setTimeout(cutOff, stallTimeoutMs);
    try {
      yield piece;
    } finally {
      clearTimeout(stall);
    }
  }
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
async function* writeEvents(
  deps: FeedDeps & { readonly watch: FeedWatch },
  from: FeedPosition,
  filter: FeedFilter,
  stream: AbortController,
): AsyncGenerator<string> {
  try {
    // The cursor is sent at the start and with every heartbeat: a client that is cut off before an event knows where to resume.
    yield `retry: ${RECONNECT_MS}\nid: ${deps.cursors.textOf(from)}\n\n`;
    let end = from;
    while (!stream.signal.aborted) {
      const page = await readFeed(deps, end, { limit: PAGE_SIZE, maxBytes: PAGE_BYTES, ...filter });
      if (page.events.length > 0) {
        yield page.events.map(event => `id: ${deps.cursors.textOf(event)}\ndata: ${event.json}\n\n`).join('');
      }
      end = page.end;
      if (page.hasMore) continue;
      const heartbeat = AbortSignal.timeout(HEARTBEAT_MS);
      await deps.watch.waitBeyond(page.head, AbortSignal.any([stream.signal, heartbeat]));
      if (heartbeat.aborted) yield `: still here\nid: ${deps.cursors.textOf(end)}\n\n`;
    }
  } finally {
    stream.abort();
  }
}
