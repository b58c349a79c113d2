// GET /pay/{token}/stream: server-sent events with a version whenever the page of a charge has changed.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_STREAM_TYPE, eventStreams, frame, waitOrBeat } from '../../http/server/event-streams.ts';
import type { Observers } from '../../http/server/observers.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import type { Sql } from '../../storage/database.ts';
import { watchCheckouts } from './watch.ts';

/** Per node; beyond it pages poll. */
const MAX_STREAMS = 5_000;
const MAX_PER_CHARGE = 50;
const RECONNECT_MS = 2_000;

type Deps = {
  readonly db: Sql;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  readonly showPageStreams: Observers['showPageStreams'];
};

type CheckoutStreams = {
  open(chargeId: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
};

export function checkoutStreams(app: FastifyInstance, deps: Deps): CheckoutStreams {
  const watch = watchCheckouts(deps);
  const streams = eventStreams(app);
  deps.showPageStreams('checkout', streams.count);

  async function* versionsOf(chargeId: string, signal: AbortSignal): AsyncGenerator<string> {
    yield frame({ retryMs: RECONNECT_MS });
    let version: string | undefined;
    while (!signal.aborted) {
      const known = version;
      const isHeartbeat = await waitOrBeat(signal, async until => {
        version = await watch.waitForOther(chargeId, known, until);
      });
      if (version !== known) yield frame({ data: version! });
      else if (isHeartbeat) yield frame({ isHeartbeat });
    }
  }

  return {
    open: async (chargeId, request, reply) => {
      // A browser does not reconnect after 204: the page polls instead.
      const isFull = streams.count() >= MAX_STREAMS || streams.count(chargeId) >= MAX_PER_CHARGE;
      if (isFull) return reply.code(204).send();
      const pieces = (signal: AbortSignal) => versionsOf(chargeId, signal);
      return reply.type(EVENT_STREAM_TYPE).send(streams.start({ request, reply, owner: chargeId, pieces }));
    },
  };
}
