// Everything that only a sandbox answers, at /sandbox.
import type { FastifyInstance } from 'fastify';
import { CHAIN_SCHEMAS, type ChainRouteDeps, chainRoutes } from './chains.ts';
import { CLOCK_SCHEMAS, type ClockRouteDeps, clockRoutes } from './clock.ts';
import { PAY_SCHEMAS, type PayRouteDeps, payRoutes } from './pay.ts';

export type SandboxRouteDeps = PayRouteDeps & ClockRouteDeps & ChainRouteDeps;

export function sandboxRoutes(app: FastifyInstance, deps: SandboxRouteDeps): void {
  for (const schema of [...PAY_SCHEMAS, ...CLOCK_SCHEMAS, ...CHAIN_SCHEMAS]) app.addSchema(schema);
  payRoutes(app, deps);
  clockRoutes(app, deps);
  chainRoutes(app, deps);
}
