// /dashboard/stream tells open pages that something changed; they fetch themselves again. One stream serves all tabs of a browser.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { findHead } from '../../events/store-feed.ts';
import { watchFeed } from '../../events/watch.ts';
import { abortWhenGone } from '../../http/server/gone.ts';
import type { Observers } from '../../http/server/observers.ts';
import { AppError } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../storage/database.ts';

type Deps = {
  readonly db: Database;
  readonly log: Log;
  readonly heartbeats: Heartbeats;
  readonly showPageStreams: Observers['showPageStreams'];
};

/** What a page shows, as a word that changes with every event and says nothing of their number. */
export type VersionOf = () => Promise<string>;

/** Of this node; a page beyond it polls. */
const MAX_STREAMS = 200;
/** However much happens, a page fetches itself no more often. */
const MIN_PAUSE_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const LOOK_AT_SESSION_MS = 800;

/** Versions of two nodes differ, which costs a page one fetch when it changes over. */
const SALT = randomBytes(16);

function versionAt(position: bigint): string {
  return createHash('sha256').update(SALT).update(String(position)).digest('base64url').slice(0, 12);
}

export function versions({ db }: Pick<Deps, 'db'>): VersionOf {
  return async () => versionAt((await findHead(db)).position);
}

export function streamRoute(app: FastifyInstance, deps: Deps): void {
  const watch = watchFeed(deps, 'the dashboard');
  const streams = new Set<AbortController>();
  deps.showPageStreams('dashboard', () => streams.size);
  // They would go on for ever, and the stop would wait for them.
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.abort();
  });

  async function* tell(stream: AbortController): AsyncGenerator<string> {
    let { position } = await findHead(deps.db);
    yield `retry: 1000\ndata: ${versionAt(position)}\n\n`;
    while (!stream.signal.aborted) {
      const heartbeat = AbortSignal.timeout(HEARTBEAT_MS);
      await watch.waitBeyond(position, AbortSignal.any([stream.signal, heartbeat]));
      if (stream.signal.aborted) return;
      ({ position } = await findHead(deps.db));
      yield heartbeat.aborted ? ': still here\n\n' : `data: ${versionAt(position)}\n\n`;
      await wait(MIN_PAUSE_MS, undefined, { signal: stream.signal }).catch(() => {});
    }
  }

  const options = { config: { isLasting: true }, schema: { hide: true } } as const;
  app.get('/dashboard/stream', options, async (request, reply) => {
    if (streams.size >= MAX_STREAMS)
      throw new AppError('too_many_streams', `There are ${MAX_STREAMS} streams open already.`);
    const stream = new AbortController();
    streams.add(stream);
    const look = setInterval(async () => {
      const may = await (request.stillMayCall?.() ?? Promise.resolve(true)).catch(() => true);
      if (!may) stream.abort();
    }, LOOK_AT_SESSION_MS);
    stream.signal.addEventListener('abort', () => {
      clearInterval(look);
      streams.delete(stream);
    });
    const body = Readable.from(tell(stream));
    // HEAD closes it unread.
    body.once('close', () => stream.abort());
    abortWhenGone(request, stream);
    return reply.type('text/event-stream; charset=utf-8').send(body);
  });
}
