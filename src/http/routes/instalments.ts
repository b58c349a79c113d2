// Instalments (carnê): one sum that is asked for in several charges, one a month.
import type { FastifyInstance } from 'fastify';
import { WithdrawalBody } from '../../api/charges.ts';
import {
  checkInstalments,
  checkIsDivided,
  INSTALMENTS_EXAMPLE,
  InstalmentPlanBody,
  InstalmentPlanDetail,
  InstalmentsPage,
  InstalmentsQuery,
  PLAN_DETAIL_EXAMPLE,
  PLAN_REFUNDS_EXAMPLE,
  PlanRefunds,
  toNewInstalmentPlan,
} from '../../api/instalments.ts';
import { checkWhoPays, toChargeDraft } from '../../api/new-charge.ts';
import { checkPage } from '../../api/paging.ts';
import { withPayer } from '../../billing/customers/charges-of.ts';
import { cancelInstalments } from '../../billing/instalments/cancel.ts';
import { createInstalments } from '../../billing/instalments/create.ts';
import { listInstalmentPlans } from '../../billing/instalments/list.ts';
import { refundInstalments } from '../../billing/instalments/refund.ts';
import { requireInstalmentPlan } from '../../billing/instalments/require.ts';
import { showInstalmentPlan } from '../../billing/instalments/show.ts';
import { planRefundsView } from '../../billing/instalments/view.ts';
import { withdrawPlanLink } from '../../billing/instalments/withdraw-link.ts';
import { checkCharge } from '../../charges/create/check.ts';
import type { ChargeDeps } from '../../charges/create/create.ts';
import { lastSecondOf } from '../../lib/civil-days.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';
import { admitRefund, type RefundRouteDeps } from './refunds.ts';

const tag = 'Instalments';
const path = idOf('instalment plan');

export type InstalmentRouteDeps = ChargeDeps & RefundRouteDeps & { readonly pageSize: number };

export function instalmentRoutes(app: FastifyInstance, deps: InstalmentRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/instalments',
    operationId: 'createInstalments',
    summary: 'Create instalments',
    description:
      'Two to sixty charges of one payer, one a month, all or none of them. The banks are asked in the background: a code or line that only a bank can make comes later. A repeat by externalId or Idempotency-Key returns the first plan as it is now, however many arrive at once.',
    tag,
    takesIdempotencyKey: true,
    body: InstalmentPlanBody,
    check: ({ body, given }) => [...checkWhoPays({ given }), ...checkInstalments(body), ...checkIsDivided({ given })],
    checkWhenRefused: ({ body: { firstDueDay, ...body } }) => {
      const dueAt = firstDueDay === undefined ? {} : { dueAt: lastSecondOf(firstDueDay).toISOString() };
      const faults = checkCharge(deps, toChargeDraft({ ...body, ...dueAt }), deps.clock.now());
      return faults.map(fault => (fault.path === 'dueAt' ? { ...fault, path: 'firstDueDay' } : fault));
    },
    answer: created(InstalmentPlanDetail, 'The plan with its charges', PLAN_DETAIL_EXAMPLE, {
      ...LOCATION,
      ...REPLAYED,
    }),
    problems: ['external_id_conflict', 'idempotency_key_reused', 'charge_refused'],
    handle: async ({ body, idempotencyKey }, reply) => {
      const asked = toNewInstalmentPlan(body);
      const terms = await withPayer(deps.db, asked.terms);
      const { id, accountId, replayed } = await createInstalments(deps, { ...asked, terms }, idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/instalments/${id}`);
      return showInstalmentPlan(deps, await requireInstalmentPlan(deps.db, id, accountId));
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/instalments',
    operationId: 'listInstalments',
    summary: 'List instalment plans',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: InstalmentsQuery,
    check: checkPage,
    answer: ok(InstalmentsPage, 'A page of instalment plans', INSTALMENTS_EXAMPLE),
    handle: async ({ query, caller }) => listInstalmentPlans(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/instalments/:id',
    operationId: 'getInstalments',
    summary: 'Read an instalment plan',
    description: 'With its charges, and with what is owed and was paid.',
    tag,
    path,
    answer: ok(InstalmentPlanDetail, 'The plan with its charges', PLAN_DETAIL_EXAMPLE),
    handle: async ({ path: { id }, caller }) =>
      showInstalmentPlan(deps, await requireInstalmentPlan(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/instalments/:id/cancel',
    operationId: 'cancelInstalments',
    summary: 'Cancel an instalment plan',
    description:
      'Cancels every instalment that can still be paid, in one step; what was paid stays. Canceling a canceled plan changes nothing.',
    tag,
    path,
    answer: ok(InstalmentPlanDetail, 'The plan, canceled', {
      ...PLAN_DETAIL_EXAMPLE,
      state: 'CANCELED',
    }),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) =>
      showInstalmentPlan(deps, await cancelInstalments(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/instalments/:id/refund',
    operationId: 'refundInstalments',
    summary: 'Refund an instalment plan',
    description:
      'Sends back all that is left of every payment of it, each with a refund of its own. Each charge that has received money is reported: its refunds, which are PENDING until the bank has answered, and why something cannot go back from here. A repeat refunds only what is left. The limits of refunds count for the plan as a whole.',
    tag,
    path,
    answer: ok(PlanRefunds, 'What became of each charge that has received money', PLAN_REFUNDS_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => {
      const plan = await requireInstalmentPlan(deps.db, id, caller?.accountId);
      return planRefundsView(await refundInstalments(deps, plan, backCents => admitRefund(deps, caller, backCents)));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/instalments/:id/checkout/withdraw',
    operationId: 'withdrawInstalmentsLink',
    summary: 'Withdraw the link to the page of an instalment plan',
    description:
      'For a link that reached the wrong person: it opens nothing any more, and the plan has a new one. The request names the link, so that a repeat withdraws no other. The checkouts of its charges have links of their own, which are withdrawn one by one.',
    tag,
    path,
    body: WithdrawalBody,
    answer: ok(InstalmentPlanDetail, 'The plan with its new link', PLAN_DETAIL_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body, caller }) => {
      await requireInstalmentPlan(deps.db, id, caller?.accountId);
      const named = deps.links.readUrl(body.checkoutUrl);
      if (named?.id !== id) {
        throw invalidRequest([{ path: 'checkoutUrl', code: 'not_found', message: 'must be a link of this plan' }]);
      }
      return showInstalmentPlan(deps, await withdrawPlanLink(deps, named));
    },
  });
}
