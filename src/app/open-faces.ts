// The HTTP server with all its routes: the operations and pages of the modules, and those that belong to no noun.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { certificatesOf } from '../http/certificates.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { metricsRoutes } from '../http/routes/metrics.ts';
import { createServer } from '../http/server/server.ts';
import { UNREAD_LIMIT_MS } from '../http/server/unread-answers.ts';
import type { Module } from '../module.ts';
import { assetRoutes } from '../web/assets.ts';
import { dashboardRoutes } from '../web/dashboard/dashboard.ts';
import { docsRoutes } from '../web/docs.ts';
import { pageRoutes } from '../web/pages.ts';
import type { Overrides } from './overrides.ts';

type Deps = Omit<Parameters<typeof createServer>[0], keyof Config | 'unreadLimitMs'> &
  Parameters<typeof healthRoutes>[1] &
  Omit<Parameters<typeof metricsRoutes>[1], 'certificates'> &
  Parameters<typeof pageRoutes>[1] &
  Omit<Parameters<typeof dashboardRoutes>[1], 'assets' | 'walletPolicy' | 'certificates'>;

/** `sandboxRoutes`: those that only a sandbox has. It does not listen yet. */
export async function openFaces(
  deps: Deps,
  config: Config,
  modules: readonly Module[],
  { unreadLimitMs = UNREAD_LIMIT_MS }: Overrides,
  sandboxRoutes?: (app: FastifyInstance) => void,
): Promise<FastifyInstance> {
  const { rateLimit, maxInFlight, addressLimit, trustProxy, walletPolicy } = config;
  const app = await createServer({ ...deps, rateLimit, maxInFlight, addressLimit, trustProxy, unreadLimitMs });
  for (const schema of modules.flatMap(({ schemas = [] }) => schemas)) app.addSchema(schema);
  for (const { routes } of modules) routes?.(app);
  healthRoutes(app, deps);
  const certificates = certificatesOf(deps.rails, config.receiver);
  metricsRoutes(app, { ...deps, certificates });
  sandboxRoutes?.(app);
  pageRoutes(app, deps);
  const site = { assets: assetRoutes(app) };
  for (const { pages } of modules) pages?.(app, site);
  const ofModules = modules.flatMap(({ dashboard }) => dashboard ?? []);
  const approval = walletPolicy.approval || (config.payouts.approvals?.some(({ wallets }) => wallets) ?? false);
  const pages = { ...deps, ...site, walletPolicy: { ...walletPolicy, approval }, certificates };
  dashboardRoutes(app, pages, ofModules);
  docsRoutes(app);
  return app;
}
