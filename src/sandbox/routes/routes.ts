// Everything that only a sandbox answers, at /sandbox.
import type { FastifyInstance } from 'fastify';
import type { ReturnDeps } from '../../charges/refund/returns.ts';
import { BANK_SCHEMAS, type BankRouteDeps, bankRoutes } from './banks.ts';
import { CHAIN_SCHEMAS, type ChainRouteDeps, chainRoutes } from './chains.ts';
import { CLOCK_SCHEMAS, type ClockRouteDeps, clockRoutes } from './clock.ts';
import { PAY_SCHEMAS, type PayRouteDeps, payRoutes } from './pay.ts';
import { checkoutPayRoutes } from './pay-checkout.ts';
import { RETURN_SCHEMAS, returnRoutes } from './return.ts';

export type SandboxRouteDeps = PayRouteDeps & ReturnDeps & ClockRouteDeps & ChainRouteDeps & BankRouteDeps;

export function sandboxRoutes(app: FastifyInstance, deps: SandboxRouteDeps): void {
  const schemas = [...PAY_SCHEMAS, ...RETURN_SCHEMAS, ...CLOCK_SCHEMAS, ...CHAIN_SCHEMAS, ...BANK_SCHEMAS];
  for (const schema of schemas) app.addSchema(schema);
  payRoutes(app, deps);
  checkoutPayRoutes(app, deps);
  returnRoutes(app, deps);
  clockRoutes(app, deps);
  chainRoutes(app, deps);
  bankRoutes(app, deps);
}
