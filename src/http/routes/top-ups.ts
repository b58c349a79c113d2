// Routes of top-ups: coin from one sender of the service to another.
import type { FastifyInstance } from 'fastify';
import { TOP_UP_EXAMPLE, TOP_UPS_EXAMPLE, TopUpBody, TopUpsView, TopUpView } from '../../api/top-ups.ts';
import { approveTopUp, type TopUpDeps, topUp } from '../../payouts/own-transfers/make-top-up.ts';
import { listWaitingTopUps, requireTopUp, showTopUp } from '../../payouts/own-transfers/show-top-up.ts';
import { created, ok, REPLAYED } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Payouts';

export function topUpRoutes(app: FastifyInstance, deps: TopUpDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/payouts/top-ups',
    operationId: 'topUp',
    summary: 'Top up the coin of a sender',
    description:
      'Sends coin of the network from one sender of the service to another, as a payout without an order, so that it can pay fees. Pauses, blocks and limits of the coin apply as for orders; where approvals are needed, it waits for them up to a day. A repeat by Idempotency-Key returns the first; an address has one open top-up at a time.',
    tag,
    takesIdempotencyKey: true,
    body: TopUpBody,
    answer: created(TopUpView, 'The top-up', TOP_UP_EXAMPLE, REPLAYED),
    problems: ['wrong_state', 'idempotency_key_reused', 'chain_unavailable', 'not_configured'],
    handle: async ({ body, idempotencyKey: key, caller }, reply) => {
      const { topUp: made, isNew } = await topUp(deps, { ...body, key, by: actorOf(caller) });
      if (!isNew) reply.header('idempotent-replayed', 'true');
      return showTopUp(deps, made);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payouts/top-ups',
    operationId: 'listWaitingTopUps',
    summary: 'List top-ups that wait for approvals',
    tag,
    answer: ok(TopUpsView, 'The waiting top-ups', TOP_UPS_EXAMPLE),
    handle: async () => ({ topUps: await listWaitingTopUps(deps) }),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payouts/top-ups/:id',
    operationId: 'getTopUp',
    summary: 'Get a top-up',
    tag,
    path: idOf('top-up'),
    answer: ok(TopUpView, 'The top-up', TOP_UP_EXAMPLE),
    handle: async ({ path: { id } }) => showTopUp(deps, await requireTopUp(deps, id)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payouts/top-ups/:id/approve',
    operationId: 'approveTopUp',
    summary: 'Approve a top-up',
    description:
      'By another key or person than the requester; where groups of `payouts.approvals` must approve it, by the needed number of members. It is sent with the last approval. If it cannot be sent then, approve it again.',
    tag,
    path: idOf('top-up'),
    answer: ok(TopUpView, 'The top-up as it is then', TOP_UP_EXAMPLE),
    problems: ['wrong_state', 'second_key_needed', 'chain_unavailable', 'not_configured'],
    handle: async ({ path: { id }, caller }) => showTopUp(deps, await approveTopUp(deps, id, actorOf(caller))),
  });
}
