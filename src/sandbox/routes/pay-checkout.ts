// The button of a sandbox's checkout that does what the payer would: pays what the code on the page asks for.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { recordPayment } from '../../charges/receive/pay.ts';
import { findCharge } from '../../charges/store/charges.ts';
import { METHODS } from '../../rails/rail.ts';
import { factsOf } from '../../web/checkout/facts.ts';
import type { PayRouteDeps } from './pay.ts';

type Route = { Params: { token: string; method: string }; Querystring: { lang?: string } };

export function checkoutPayRoutes(app: FastifyInstance, deps: PayRouteDeps): void {
  // A form without fields; it is not JSON, so it is read in a scope of its own.
  app.register(async inner => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => undefined);
    inner.post<Route>('/pay/:token/sandbox/:method', { schema: { hide: true } }, async (request, reply) => {
      const { token, method } = request.params;
      await payAsShown(deps, token, method);
      // The page says what came of it, also where the link opens nothing or nothing can be paid any more.
      const language = request.query.lang === 'en' ? '?lang=en' : '?lang=pt-BR';
      return reply.redirect(`/pay/${encodeURIComponent(token)}${language}`, 303);
    });
  });
}

async function payAsShown(deps: PayRouteDeps, token: string, word: string): Promise<void> {
  const method = METHODS.find(candidate => candidate === word);
  const named = deps.links.read(token);
  if (!named || !method) return;
  await deps.clock.refresh();
  const charge = await findCharge(deps.db, named.id);
  if (charge?.linkEpoch !== named.linkEpoch) return;
  const payable = factsOf(charge, deps.clock.now())[method];
  if (!payable) return;
  const { asksCents: amountCents } = payable;
  await recordPayment(deps, { chargeId: charge.id, method, amountCents, source: 'sandbox', reference: randomUUID() });
}
