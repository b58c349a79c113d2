// What mandates give the service.
import { MANDATE_SCHEMAS } from '../../api/mandates.ts';
import { type MandateRouteDeps, mandateRoutes } from '../../http/routes/mandates.ts';
import type { Module } from '../../module.ts';
import { lookAtDue, type MandateJobDeps, mandateJobs, startLookingAtMandates } from './jobs.ts';

export function mandatesModule(deps: MandateJobDeps & MandateRouteDeps): Module {
  return {
    schemas: MANDATE_SCHEMAS,
    jobs: mandateJobs(deps),
    background: [{ start: () => startLookingAtMandates(deps), runDue: () => lookAtDue(deps), feedsJobs: true }],
    routes: app => mandateRoutes(app, deps),
  };
}
