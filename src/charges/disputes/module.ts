// What disputes give the service.
import { DISPUTE_SCHEMAS } from '../../api/disputes.ts';
import { disputeEvidenceRoutes } from '../../http/routes/dispute-evidence.ts';
import { type DisputeRouteDeps, disputeRoutes } from '../../http/routes/disputes.ts';
import type { Module } from '../../module.ts';
import { disputeActs } from '../../web/dashboard/dispute-acts.ts';
import { disputePages } from '../../web/dashboard/disputes.ts';

export function disputesModule(deps: DisputeRouteDeps): Module {
  return {
    schemas: DISPUTE_SCHEMAS,
    routes: app => {
      disputeRoutes(app, deps);
      disputeEvidenceRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      disputePages(scope, pages);
      disputeActs(scope, pages);
    },
  };
}
