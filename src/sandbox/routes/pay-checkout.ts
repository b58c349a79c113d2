// The button on a sandbox checkout that pays what the code on the page asks for, as the payer would.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { recordPayment } from '../../charges/receive/pay.ts';
import { findCharge } from '../../charges/store/charges.ts';
import { factsOf } from '../../web/checkout/facts.ts';
import type { PayRouteDeps } from './pay.ts';

type Route = { Params: { token: string; method: string }; Querystring: { lang?: string } };

export function checkoutPayRoutes(app: FastifyInstance, deps: PayRouteDeps): void {
  // A form without fields; it is not JSON, so it gets its own parser scope.
  app.register(async inner => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => undefined);
    inner.post<Route>('/pay/:token/sandbox/:method', { schema: { hide: true } }, async (request, reply) => {
      const { token, method } = request.params;
      await payAsShown(deps, token, method);
      // The page shows the result, also when the link is invalid or nothing can be paid any more.
      const language = request.query.lang === 'en' ? '?lang=en' : '?lang=pt-BR';
      return reply.redirect(`/pay/${encodeURIComponent(token)}${language}`, 303);
    });
  });
}

async function payAsShown(deps: PayRouteDeps, token: string, word: string): Promise<void> {
  const named = deps.links.read(token);
  if (!named) return;
  await deps.clock.refresh();
  const charge = await findCharge(deps.db, named.id);
  if (charge?.linkEpoch !== named.linkEpoch) return;
  const shown = factsOf(charge, deps.clock.now()).payable.find(({ method }) => method === word);
  if (!shown) return;
  const { method, asksCents: amountCents } = shown;
  await recordPayment(deps, { chargeId: charge.id, method, amountCents, source: 'sandbox', reference: randomUUID() });
}
