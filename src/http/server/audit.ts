// Writes the changes of a request to the audit log under its caller, and reads that must be on record, such as downloads of payers' data.
import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import { withAuditContext } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';

type Deps = { readonly clock: Clock; readonly requiresKeys: boolean };

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Call it before any route is added. The handler runs inside the hook's last call, and so inside the act. */
export function auditRequests(app: FastifyInstance, { clock, requiresKeys }: Deps): void {
  const successes = new Map<string, number>();
  app.addHook('onRoute', ({ method, url, schema }) => {
    for (const one of [method].flat()) successes.set(`${one} ${url}`, successOf(schema));
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (READING.includes(request.method) && !request.route.config.isOnRecord) return done();
    const { id } = (request.params ?? {}) as { id?: string };
    const action = `${request.method} ${request.route.url}`;
    withAuditContext(
      {
        actor: requiresKeys && !request.caller ? VISITOR : actorOf(request.caller),
        action,
        at: clock.now(),
        status: successes.get(action) ?? OK,
        requestId: request.id,
        ...(id !== undefined && UUID.test(id) && { objectId: id.toLowerCase() }),
      },
      done,
    );
  });
}

/** The caller, as in the audit log. */
export function actorOf(caller: Caller | undefined): string {
  return caller?.actor ?? 'sandbox';
}

/** On a public route in live: a person who is logging in and not known yet. */
const VISITOR = 'visitor';

/** Other parts of an address may contain anything, so they are not logged. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const OK = 200;

/** The line is written with the change, before the answer, so it has the success status of this route. */
function successOf(schema: FastifySchema | undefined): number {
  const { response = {} } = (schema ?? {}) as { response?: Record<string, unknown> };
  return Number(Object.keys(response).find(status => status.startsWith('2')) ?? OK);
}
