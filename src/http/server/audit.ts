// What a request changes is written to the audit log as the act of its caller; of what it reads, downloads of payers' documents.
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

/** Who calls, as the audit log writes it. */
export function actorOf(caller: Caller | undefined): string {
  return caller?.actor ?? 'sandbox';
}

/** On a public route of live: a person who logs in, and is not known yet. */
const VISITOR = 'visitor';

/** Whatever else stands in an address may be anything, and has no place in the log. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const OK = 200;

/** The line is written with the change, before the answer: it bears the status that a success of this route has. */
function successOf(schema: FastifySchema | undefined): number {
  const { response = {} } = (schema ?? {}) as { response?: Record<string, unknown> };
  return Number(Object.keys(response).find(status => status.startsWith('2')) ?? OK);
}
