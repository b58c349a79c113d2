// What mandates give the service.
import { MANDATE_SCHEMAS } from '../../api/mandates.ts';
import { type MandateRouteDeps, mandateRoutes } from '../../http/routes/mandates.ts';
import type { Module } from '../../module.ts';
import { mandateActs } from '../../web/dashboard/mandate-acts.ts';
import { mandatePages } from '../../web/dashboard/mandates.ts';
import { lookAtDue, type MandateJobDeps, mandateJobs, startLookingAtMandates } from './jobs.ts';

export function mandatesModule(deps: MandateJobDeps & MandateRouteDeps): Module {
  return {
    schemas: MANDATE_SCHEMAS,
    jobs: mandateJobs(deps),
    background: [{ start: () => startLookingAtMandates(deps), runDue: () => lookAtDue(deps), feedsJobs: true }],
    routes: app => mandateRoutes(app, deps),
    dashboard: (scope, pages) => {
      mandatePages(scope, pages);
      mandateActs(scope, pages);
    },
  };
}
