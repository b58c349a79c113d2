// GET /events/stream: the feed as server-sent events.
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
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
import { EVENT_STREAM_TYPE, eventStreams, frame, READ_AHEAD_BYTES, waitOrBeat } from '../server/event-streams.ts';
import type { Observers } from '../server/observers.ts';
import { defineRoute } from '../server/route.ts';

export type EventStreamDeps = FeedDeps & {
  readonly log: Log;
  readonly heartbeats: Heartbeats;
  readonly showStreams: Observers['showStreams'];
  /** How long a reader may not read at all while events wait. */
  readonly streamStallTimeoutMs: number;
};

/** Per account and node; in a sandbox, for all callers together. */
const MAX_STREAMS = 100;
/** A page ends with the event that reaches this size. */
const PAGE_SIZE = 20;
const PAGE_BYTES = READ_AHEAD_BYTES;
export const STREAM_STALL_TIMEOUT_MS = 30_000;
const RECONNECT_MS = 1_000;

export function eventStreamRoutes(app: FastifyInstance, deps: EventStreamDeps): void {
  const watch = watchFeed(deps, 'event streams');
  const streams = eventStreams(app);
  deps.showStreams(() => ({ open: streams.count(), owedBytes: streams.owedBytes() }));

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
    answer: media<Readable>(EVENT_STREAM_TYPE, Type.String(), 'Events as they happen', STREAM_EXAMPLE),
    problems: ['too_many_streams'],
    handle: async ({ query, caller, request }, reply) => {
      const lastEventId = request.headers['last-event-id'];
      const { after, accountId: asked, ...rest } = query;
      const accountId = accountOf(caller, asked);
      const filter = { ...rest, ...(accountId !== undefined && { accountId }) };
      const cursor = typeof lastEventId === 'string' && lastEventId ? lastEventId : after;
      const from = await requirePosition(deps, cursor, filter);
      const owner = caller?.accountId ?? '';
      if (streams.count(owner) >= MAX_STREAMS) {
        throw new AppError('too_many_streams', `There are ${MAX_STREAMS} streams open already.`);
      }
      const cutOff = () => {
        deps.log.info('an event stream was closed: its reader did not read');
        // As in unread-answers.ts, but this connection may have sent something meanwhile.
        request.raw.socket.resetAndDestroy();
      };
      const pieces = (signal: AbortSignal) =>
        cutOffWhenStalled(writeEvents({ ...deps, watch }, from, filter, signal), deps.streamStallTimeoutMs, cutOff);
      return streams.start({ request, reply, owner, pieces });
    },
  });
}

/**
 * Passes on pieces. The next piece is requested when the reader has taken the previous ones; if that takes longer than the timeout, the
 * stream is closed, which frees its memory and its place. The reader may resume with Last-Event-ID.
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

/** A page is read only when the previous one has been taken, so a slow reader costs one page. */
async function* writeEvents(
  deps: FeedDeps & { readonly watch: FeedWatch },
  from: FeedPosition,
  filter: FeedFilter,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // The cursor is sent at the start and with every heartbeat: a client that is disconnected before an event knows where to resume.
  yield frame({ retryMs: RECONNECT_MS, id: deps.cursors.textOf(from) });
  let end = from;
  while (!signal.aborted) {
    const page = await readFeed(deps, end, { limit: PAGE_SIZE, maxBytes: PAGE_BYTES, ...filter });
    if (page.events.length > 0) {
      yield page.events.map(event => frame({ id: deps.cursors.textOf(event), data: event.json })).join('');
    }
    end = page.end;
    if (page.hasMore) continue;
    const isHeartbeat = await waitOrBeat(signal, until => deps.watch.waitBeyond(page.head, until));
    if (isHeartbeat) yield frame({ isHeartbeat, id: deps.cursors.textOf(end) });
  }
}
