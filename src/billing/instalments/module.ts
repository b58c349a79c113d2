// What instalments give the service.
import { INSTALMENT_SCHEMAS } from '../../api/instalments.ts';
import { type InstalmentRouteDeps, instalmentRoutes } from '../../http/routes/instalments.ts';
import type { Module } from '../../module.ts';
import { instalmentActs } from '../../web/dashboard/instalment-acts.ts';
import { instalmentPages } from '../../web/dashboard/instalments.ts';
import { type SlipsDeps, slipRoutes } from '../../web/instalment-slips.ts';
import { type FollowDeps, instalmentJobs } from './follow.ts';

export function instalmentsModule(deps: InstalmentRouteDeps & FollowDeps & SlipsDeps): Module {
  return {
    schemas: INSTALMENT_SCHEMAS,
    jobs: instalmentJobs(deps),
    routes: app => {
      instalmentRoutes(app, deps);
      slipRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      instalmentPages(scope, pages);
      instalmentActs(scope, pages);
    },
  };
}
