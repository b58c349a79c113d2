// Subscriptions: customers who are charged by a plan, cycle after cycle.
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { WithdrawalBody } from '../../api/charges.ts';
import { checkPage, toPageQuery } from '../../api/paging.ts';
import { Uuid } from '../../api/schemas.ts';
import {
  CancelBody,
  CYCLES_EXAMPLE,
  CyclesPage,
  CyclesQuery,
  CycleView,
  FORGIVEN_CYCLE_EXAMPLE,
  SUBSCRIPTION_DETAIL_EXAMPLE,
  SUBSCRIPTION_EXAMPLE,
  SUBSCRIPTIONS_EXAMPLE,
  SubscriptionBody,
  SubscriptionChanges,
  SubscriptionDetail,
  SubscriptionsPage,
  SubscriptionsQuery,
  SubscriptionView,
  toNewSubscription,
  toSubscriptionChanges,
} from '../../api/subscriptions.ts';
import { changeSubscription } from '../../billing/subscriptions/change.ts';
import { createSubscription, type SubscriptionDeps } from '../../billing/subscriptions/create.ts';
import type { SubscriptionFollowDeps } from '../../billing/subscriptions/follow.ts';
import { listCycles, listSubscriptions } from '../../billing/subscriptions/list.ts';
import { requireSubscription } from '../../billing/subscriptions/require.ts';
import { showSubscription } from '../../billing/subscriptions/show.ts';
import {
  cancelSubscription,
  forgiveCycle,
  pauseSubscription,
  resumeSubscription,
} from '../../billing/subscriptions/verbs.ts';
import { cycleView, subscriptionView } from '../../billing/subscriptions/view.ts';
import { withdrawSubscriptionLink } from '../../billing/subscriptions/withdraw-link.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf, pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Subscriptions';
const path = idOf('subscription');
/** As many as the column of the database holds. */
const MAX_CYCLE = 2_147_483_647;

export type SubscriptionRouteDeps = SubscriptionDeps & SubscriptionFollowDeps & { readonly pageSize: number };

/** What an order would be refused for now. */
const BUYING_PROBLEMS = ['order_refused', 'wallet_blocked', 'price_unavailable', 'not_configured'] as const;

export function subscriptionRoutes(app: FastifyInstance, deps: SubscriptionRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions',
    operationId: 'createSubscription',
    summary: 'Create a subscription',
    description:
      'A customer is charged by a plan from then on, each cycle once. The first charge is made within seconds when its day is near enough. A repeat by externalId or Idempotency-Key returns the first subscription, as it is now.',
    tag,
    takesIdempotencyKey: true,
    body: SubscriptionBody,
    answer: created(SubscriptionView, 'The subscription', SUBSCRIPTION_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['external_id_conflict', 'idempotency_key_reused', ...BUYING_PROBLEMS],
    handle: async ({ body, idempotencyKey, caller }, reply) => {
      requireMayOrder(caller, body);
      const { subscription, replayed } = await createSubscription(deps, toNewSubscription(body), idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/subscriptions/${subscription.id}`);
      return subscriptionView(deps.links, subscription);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/subscriptions',
    operationId: 'listSubscriptions',
    summary: 'List subscriptions',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: SubscriptionsQuery,
    check: checkPage,
    answer: ok(SubscriptionsPage, 'A page of subscriptions', SUBSCRIPTIONS_EXAMPLE),
    handle: async ({ query, caller }) => listSubscriptions(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/subscriptions/:id',
    operationId: 'getSubscription',
    summary: 'Read a subscription',
    tag,
    path,
    answer: ok(SubscriptionDetail, 'The subscription, with what comes next', SUBSCRIPTION_DETAIL_EXAMPLE),
    handle: async ({ path: { id }, caller }) =>
      showSubscription(deps, await requireSubscription(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/subscriptions/:id/cycles',
    operationId: 'listSubscriptionCycles',
    summary: 'List the cycles of a subscription',
    description: 'The last first: the one that is charged next, and all that were charged before.',
    tag,
    path,
    query: CyclesQuery,
    answer: ok(CyclesPage, 'A page of cycles', CYCLES_EXAMPLE),
    handle: async ({ path: { id }, query, caller }) => {
      const { id: subscriptionId } = await requireSubscription(deps.db, id, caller?.accountId);
      return listCycles(deps, subscriptionId, toPageQuery(query, deps.pageSize));
    },
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/subscriptions/:id',
    operationId: 'changeSubscription',
    summary: 'Change a subscription',
    description:
      'From the next cycle on: what has a charge keeps it. Another day moves the next cycle within its week or month, or to the one after when that is over. What is not named stays, and null removes it.',
    tag,
    path,
    body: SubscriptionChanges,
    answer: ok(SubscriptionView, 'The subscription as it is then', SUBSCRIPTION_EXAMPLE),
    problems: ['external_id_conflict', 'wrong_state', ...BUYING_PROBLEMS],
    handle: async ({ path: { id }, body, caller }) => {
      requireMayOrder(caller, body);
      const changes = toSubscriptionChanges(body);
      return subscriptionView(deps.links, await changeSubscription(deps, id, changes, caller?.accountId));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions/:id/pause',
    operationId: 'pauseSubscription',
    summary: 'Pause a subscription',
    description:
      'No cycle is charged until it is resumed. The charge of a cycle that has not begun is withdrawn; what has begun stays owed. Pausing it again changes nothing.',
    tag,
    path,
    answer: ok(SubscriptionView, 'The subscription, paused', { ...SUBSCRIPTION_EXAMPLE, status: 'paused' }),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) =>
      subscriptionView(deps.links, await pauseSubscription(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions/:id/resume',
    operationId: 'resumeSubscription',
    summary: 'Resume a subscription',
    description:
      'One that is paused goes on with the next of its days, without those that passed meanwhile. One that was to be canceled at the end of its period stays.',
    tag,
    path,
    answer: ok(SubscriptionView, 'The subscription as it is then', SUBSCRIPTION_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) =>
      subscriptionView(deps.links, await resumeSubscription(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions/:id/cancel',
    operationId: 'cancelSubscription',
    summary: 'Cancel a subscription',
    description:
      'Now, or at the end of what is paid for. The charge of a cycle that has not begun is withdrawn; what has begun stays owed, unless it is forgiven. Canceling it again changes nothing.',
    tag,
    path,
    body: CancelBody,
    answer: ok(SubscriptionView, 'The subscription, canceled or with the day on which it is', {
      ...SUBSCRIPTION_EXAMPLE,
      ...{ cancelOn: '2027-01-10', cancelReason: 'requested' as const },
    }),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body: { at = 'now', forgive = false }, caller }) =>
      subscriptionView(
        deps.links,
        await cancelSubscription(deps, id, { at, forgives: forgive, reason: 'requested' }, caller?.accountId),
      ),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions/:id/cycles/:number/forgive',
    operationId: 'forgiveSubscriptionCycle',
    summary: 'Forgive a cycle',
    description:
      'A cycle that is to be paid, in time or late, is owed no more: its charge is withdrawn, and nothing else changes. Also for one whose charge has expired or could not be made, and after the subscription has ended. A payment that comes later makes it paid. Forgiving it again changes nothing.',
    tag,
    path: pathOf(
      { id: Uuid(), number: Type.Integer({ minimum: 1, maximum: MAX_CYCLE }) },
      { id: 'subscription', number: 'cycle of this subscription' },
    ),
    answer: ok(CycleView, 'The cycle, canceled', FORGIVEN_CYCLE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id, number }, caller }) =>
      cycleView(await forgiveCycle(deps, id, number, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/subscriptions/:id/checkout/withdraw',
    operationId: 'withdrawSubscriptionLink',
    summary: 'Withdraw the link to the page of a subscription',
    description:
      'For a link that reached the wrong person: it stops working, and the subscription gets a new one. The request names the link, so that a repeat does not withdraw the new one. The checkouts of its charges have links of their own, which are withdrawn one by one.',
    tag,
    path,
    body: WithdrawalBody,
    answer: ok(SubscriptionView, 'The subscription with its new link', SUBSCRIPTION_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body, caller }) => {
      await requireSubscription(deps.db, id, caller?.accountId);
      const named = deps.links.readUrl(body.checkoutUrl);
      if (named?.id !== id) {
        throw invalidRequest([
          { path: 'checkoutUrl', code: 'not_found', message: 'must be a link of this subscription' },
        ]);
      }
      return subscriptionView(deps.links, await withdrawSubscriptionLink(deps, named));
    },
  });
}

/** Naming where crypto goes is what an order does. */
function requireMayOrder(caller: Caller | undefined, { walletId }: { readonly walletId?: string }): void {
  if (!caller || walletId === undefined || caller.scopes.includes('transactions:write')) return;
  throw new AppError('missing_scope', 'Naming the wallet of a subscription needs the scope transactions:write.');
}
