// The button of a sandbox's checkout that does what the payer would.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { recordPayment } from '../../charges/pay.ts';
import { AppError } from '../../lib/errors.ts';
import { METHODS } from '../../rails/rail.ts';
import type { PayRouteDeps } from './pay.ts';

type Route = { Params: { token: string; method: string }; Querystring: { lang?: string } };

export function checkoutPayRoutes(app: FastifyInstance, deps: PayRouteDeps): void {
  // A form without fields; it is not JSON, so it is read in a scope of its own.
  app.register(async inner => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => undefined);
    inner.post<Route>(
      '/pay/:token/sandbox/:method',
      { config: { public: true }, schema: { hide: true } },
      async (request, reply) => {
        const { token, method: word } = request.params;
        const named = deps.links.read(token);
        const method = METHODS.find(candidate => candidate === word);
        if (!named || !method) throw new AppError('not_found', 'There is no such checkout.');
        await deps.clock.refresh();
        await recordPayment(deps, { chargeId: named.id, method, source: 'sandbox', reference: randomUUID() });
        const language = request.query.lang === 'en' ? '?lang=en' : '?lang=pt-BR';
        return reply.redirect(`/pay/${token}${language}`, 303);
      },
    );
  });
}
