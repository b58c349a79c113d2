// The module of plans: their operations and pages.
import { PLAN_SCHEMAS } from '../../api/plans.ts';
import { planRoutes } from '../../http/routes/plans.ts';
import type { Module } from '../../module.ts';
import { planActs } from '../../web/dashboard/plan-acts.ts';

type Deps = Parameters<typeof planRoutes>[1];

export function plansModule(deps: Deps): Module {
  return { schemas: PLAN_SCHEMAS, routes: app => planRoutes(app, deps), dashboard: planActs };
}
