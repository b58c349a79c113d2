// /dashboard/stream notifies open pages of changes; they fetch themselves again. One stream serves all tabs of a browser.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { findHead } from '../../events/store-feed.ts';
import { watchFeed } from '../../events/watch.ts';
import { EVENT_STREAM_TYPE, eventStreams, frame, waitOrBeat } from '../../http/server/event-streams.ts';
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

/** The version of a page: it changes with every event and does not reveal their number. */
export type VersionOf = () => Promise<string>;

/** Per node; beyond it pages poll. */
const MAX_STREAMS = 200;
/** A page fetches itself at most this often, however much happens. */
const MIN_PAUSE_MS = 1_000;
const RECONNECT_MS = 1_000;

/** Versions of two nodes differ, which costs a page one fetch when it switches nodes. */
const SALT = randomBytes(16);

function versionAt(position: bigint): string {
  return createHash('sha256').update(SALT).update(String(position)).digest('base64url').slice(0, 12);
}

export function versions({ db }: Pick<Deps, 'db'>): VersionOf {
  return async () => versionAt((await findHead(db)).position);
}

export function streamRoute(app: FastifyInstance, deps: Deps): void {
  const watch = watchFeed(deps, 'the dashboard');
  const streams = eventStreams(app);
  deps.showPageStreams('dashboard', streams.count);

  async function* pieces(signal: AbortSignal): AsyncGenerator<string> {
    let { position } = await findHead(deps.db);
    yield frame({ retryMs: RECONNECT_MS, data: versionAt(position) });
    while (!signal.aborted) {
      const isHeartbeat = await waitOrBeat(signal, until => watch.waitBeyond(position, until));
      if (signal.aborted) return;
      ({ position } = await findHead(deps.db));
      yield isHeartbeat ? frame({ isHeartbeat }) : frame({ data: versionAt(position) });
      await wait(MIN_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  const options = { config: { isLasting: true }, schema: { hide: true } } as const;
  app.get('/dashboard/stream', options, async (request, reply) => {
    if (streams.count() >= MAX_STREAMS)
      throw new AppError('too_many_streams', `There are ${MAX_STREAMS} streams open already.`);
    return reply.type(EVENT_STREAM_TYPE).send(streams.start({ request, reply, pieces }));
  });
}
