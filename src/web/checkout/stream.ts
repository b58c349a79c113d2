// GET /pay/{token}/stream: a version whenever the page of a charge has changed, as server-sent events, and nothing else.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasGone } from '../../http/server/gone.ts';
import type { Observers } from '../../http/server/observers.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import type { Sql } from '../../storage/database.ts';
import { watchCheckouts } from './watch.ts';

/** Per node; past it a page polls. */
const MAX_STREAMS = 5_000;
const MAX_PER_CHARGE = 50;
const HEARTBEAT_MS = 20_000;
const RECONNECT_MS = 2_000;
/** A reader that takes nothing is let go; it comes back when it can. */
const MAX_OWED_BYTES = 4_096;

type Deps = {
  readonly db: Sql;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  readonly showPageStreams: Observers['showPageStreams'];
};

export type CheckoutStreams = {
  open(chargeId: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
};

export function checkoutStreams(app: FastifyInstance, deps: Deps): CheckoutStreams {
  const watch = watchCheckouts(deps);
  const open = new Map<Readable, string>();
  deps.showPageStreams('checkout', () => open.size);
  const say = (stream: Readable, text: string) => {
    if (stream.readableLength > MAX_OWED_BYTES) stream.destroy();
    else stream.push(text);
  };
  const heartbeat = setInterval(() => {
    for (const stream of open.keys()) say(stream, ': still here\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  // They would go on for ever, and the stop would wait for them.
  app.addHook('preClose', async () => {
    clearInterval(heartbeat);
    for (const stream of open.keys()) stream.push(null);
  });

  return {
    open: async (chargeId, request, reply) => {
      const ofCharge = [...open.values()].filter(id => id === chargeId).length;
      // A browser does not come back after 204: its page polls instead.
      const isFull = open.size >= MAX_STREAMS || ofCharge >= MAX_PER_CHARGE;
      if (isFull || hasGone(request)) return reply.code(204).send();
      const stream = new Readable({ read: () => {} });
      open.set(stream, chargeId);
      const forget = watch.add({ chargeId, tell: version => say(stream, `data: ${version}\n\n`) });
      const end = () => {
        forget();
        open.delete(stream);
      };
      stream.once('close', end);
      request.raw.socket.once('close', () => stream.destroy());
      stream.push(`retry: ${RECONNECT_MS}\n\n`);
      return reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    },
  };
}
