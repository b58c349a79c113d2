// HEAD asks only for the headers of an answer.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** Ends the body of an answer to HEAD unread. The framework would read an export, or a stream, to its end. */
export function leaveBodiesOfHead(app: FastifyInstance): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) return payload;
    payload.destroy();
    return Readable.from([]);
  });
}
