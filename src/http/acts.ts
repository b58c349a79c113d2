// What a request changes is written to the audit log as the act of its caller.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acting } from '../lib/act.ts';
import type { Clock } from '../lib/clock.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Call it before any route is added. The handler runs inside the hook's last call, and so inside the act. */
export function noteActs(app: FastifyInstance, { clock }: { clock: Clock }): void {
  app.addHook('preHandler', (request, _reply, done) => {
    if (READING.includes(request.method)) return done();
    const { id } = (request.params ?? {}) as { id?: string };
    acting(
      {
        actor: request.caller ? `key:${request.caller.keyId}` : 'sandbox',
        action: `${request.method} ${request.routeOptions.url}`,
        at: clock.now(),
        status: successOf(request),
        requestId: request.id,
        ...(id !== undefined && UUID.test(id) && { objectId: id.toLowerCase() }),
      },
      done,
    );
  });
}

/** Whatever else stands in an address may be anything, and has no place in the log. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The line is written with the change, before the answer: it bears the status that a success of this route has. */
function successOf({ routeOptions }: FastifyRequest): number {
  const { response = {} } = (routeOptions.schema ?? {}) as { response?: Record<string, unknown> };
  return Number(Object.keys(response).find(status => status.startsWith('2')) ?? 200);
}
