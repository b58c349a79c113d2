// Server-sent events, for every stream of the service. https://html.spec.whatwg.org/multipage/server-sent-events.html
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const EVENT_STREAM_TYPE = 'text/event-stream; charset=utf-8';

type Frame = {
  /** A comment that shows proxies that the stream is alive; clients ignore it. */
  readonly isHeartbeat?: boolean;
  readonly retryMs?: number;
  readonly id?: string;
  /** One line. */
  readonly data?: string;
};

export function frame({ isHeartbeat, retryMs, id, data }: Frame): string {
  const lines = [
    isHeartbeat && ': still here',
    retryMs !== undefined && `retry: ${retryMs}`,
    id !== undefined && `id: ${id}`,
    data !== undefined && `data: ${data}`,
  ];
  return `${lines.filter(line => line !== false && line !== undefined).join('\n')}\n\n`;
}

const HEARTBEAT_MS = 15_000;

/** Waits for news as `wait` does, until a heartbeat is due. True when it is. */
export async function waitOrBeat(signal: AbortSignal, wait: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const heartbeat = AbortSignal.timeout(HEARTBEAT_MS);
  await wait(AbortSignal.any([signal, heartbeat]));
  return heartbeat.aborted && !signal.aborted;
}

type Start = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Whose streams are counted together. */
  readonly owner?: string;
  /** Makes the text, until the signal. The next piece is requested when the reader has taken the previous ones. */
  pieces(signal: AbortSignal): AsyncIterable<string>;
};

type EventStreams = {
  /** How many are open on this node, of one owner or of all. */
  count(owner?: string): number;
  /** Bytes that this process holds for readers that have not taken them. */
  owedBytes(): number;
  /** A body that lasts until the caller leaves, its key or session ends, or the server stops. */
  start(options: Start): Readable;
};

/** Bytes read ahead of a slow reader, at most. */
export const READ_AHEAD_BYTES = 32_768;

export function eventStreams(app: FastifyInstance): EventStreams {
  const open = new Map<AbortController, { readonly owner: string | undefined; owedBytes(): number }>();
  // Otherwise the stop would wait for them for ever.
  app.addHook('preClose', async () => {
    for (const stream of open.keys()) stream.abort();
  });
  return {
    count: owner => (owner === undefined ? open.size : [...open.values()].filter(one => one.owner === owner).length),
    owedBytes: () => [...open.values()].reduce((sum, { owedBytes }) => sum + owedBytes(), 0),
    start: ({ request, reply, owner, pieces }) => {
      const stream = new AbortController();
      const body = Readable.from(pieces(stream.signal), { objectMode: false, highWaterMark: READ_AHEAD_BYTES });
      open.set(stream, { owner, owedBytes: () => body.readableLength + reply.raw.writableLength });
      stream.signal.addEventListener('abort', () => open.delete(stream));
      // HEAD closes it unread.
      body.once('close', () => stream.abort());
      endWhenRevoked(request, stream);
      // A caller may leave before its stream is set up.
      if (reply.raw.closed) stream.abort();
      else reply.raw.once('close', () => stream.abort());
      // Tells proxies not to buffer the answer, which would delay events.
      reply.header('x-accel-buffering', 'no');
      return body;
    },
  };
}

const LOOK_AT_KEY_MS = 800;

/** A stream outlives its request, so its key or session is checked again: a revocation ends it within a second. */
function endWhenRevoked({ stillMayCall }: FastifyRequest, stream: AbortController): void {
  if (!stillMayCall) return;
  const look = setInterval(async () => {
    const may = await stillMayCall().catch(() => true);
    if (!may) stream.abort();
  }, LOOK_AT_KEY_MS);
  stream.signal.addEventListener('abort', () => clearInterval(look));
}
