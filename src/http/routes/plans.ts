// Plans: what subscriptions are charged, and how often.
import type { FastifyInstance } from 'fastify';
import { checkPage } from '../../api/paging.ts';
import {
  PLAN_EXAMPLE,
  PLANS_EXAMPLE,
  PlanBody,
  PlanChanges,
  PlansPage,
  PlansQuery,
  PlanView,
  toNewPlan,
  toPlanChanges,
} from '../../api/plans.ts';
import { changePlan } from '../../billing/plans/change.ts';
import { createPlan, type PlanDeps } from '../../billing/plans/create.ts';
import { listPlans } from '../../billing/plans/list.ts';
import { requirePlan } from '../../billing/plans/require.ts';
import { planView } from '../../billing/plans/view.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Plans';
const path = idOf('plan');

type Deps = PlanDeps & { readonly pageSize: number };

export function planRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/plans',
    operationId: 'createPlan',
    summary: 'Create a plan',
    description: 'A repeat by externalId or Idempotency-Key returns the first plan, as it is now.',
    tag,
    takesIdempotencyKey: true,
    body: PlanBody,
    answer: created(PlanView, 'The plan', PLAN_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['external_id_conflict', 'idempotency_key_reused'],
    handle: async ({ body, idempotencyKey }, reply) => {
      const { plan, replayed } = await createPlan(deps, toNewPlan(body), idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/plans/${plan.id}`);
      return planView(plan);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/plans',
    operationId: 'listPlans',
    summary: 'List plans',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: PlansQuery,
    check: checkPage,
    answer: ok(PlansPage, 'A page of plans', PLANS_EXAMPLE),
    handle: async ({ query, caller }) => listPlans(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/plans/:id',
    operationId: 'getPlan',
    summary: 'Read a plan',
    tag,
    path,
    answer: ok(PlanView, 'The plan', PLAN_EXAMPLE),
    handle: async ({ path: { id }, caller }) => planView(await requirePlan(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/plans/:id',
    operationId: 'changePlan',
    summary: 'Change a plan',
    description:
      'What is not named stays, and null removes it. Only subscriptions that are made or moved to it from then on take the change: those that exist have a copy of its terms.',
    tag,
    path,
    body: PlanChanges,
    answer: ok(PlanView, 'The plan as it is then', PLAN_EXAMPLE),
    problems: ['external_id_conflict'],
    handle: async ({ path: { id }, body, caller }) =>
      planView(await changePlan(deps, id, toPlanChanges(body), caller?.accountId)),
  });
}
