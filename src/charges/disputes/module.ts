// What disputes give the service.
import { DISPUTE_SCHEMAS } from '../../api/disputes.ts';
import { type DisputeRouteDeps, disputeRoutes } from '../../http/routes/disputes.ts';
import type { Module } from '../../module.ts';

export function disputesModule(deps: DisputeRouteDeps): Module {
  return {
    schemas: DISPUTE_SCHEMAS,
    routes: app => disputeRoutes(app, deps),
  };
}
