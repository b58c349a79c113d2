// Cold sweeps, and payouts that are given up.
import type { FastifyInstance } from 'fastify';
import { COLD_SWEEP_EXAMPLE, ColdSweepBody, PAYOUT_EXAMPLE, PayoutView } from '../../api/payouts.ts';
import { voidByEither } from '../../orders/void-by-either.ts';
import { type ColdSweepDeps, sweepToCold } from '../../payouts/own-transfers/sweep-to-cold.ts';
import { payoutView } from '../../payouts/view.ts';
import { checkNetwork } from '../../quotes/check.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Payouts';

export function coldSweepRoutes(app: FastifyInstance, deps: ColdSweepDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/payouts/sweep',
    operationId: 'sweepToCold',
    summary: 'Sweep crypto to the cold address',
    description:
      'Sends what the sender has too much of to the address of the network in `payouts.coldAddresses`, as a payout for no order. What open payouts and orders in line need stays. One sweep of an asset is on its way at a time. A pause does not stop it.',
    tag,
    body: ColdSweepBody,
    check: ({ body }) => checkNetwork(body.symbol, body.network),
    answer: created(PayoutView, 'The payout', COLD_SWEEP_EXAMPLE),
    problems: ['wrong_state', 'chain_unavailable', 'not_configured'],
    handle: async ({ body, caller }) => payoutView(await sweepToCold(deps, { ...body, by: actorOf(caller) })),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payouts/:id/void',
    operationId: 'voidPayout',
    summary: 'Give up a payout that no block has',
    description:
      'A transaction that moves nothing uses its slot up; then the payout is `voided`, and its order, if it has one, is held as `payout_voided`. If a block takes the transfer first, it stays.',
    tag,
    path: idOf('payout'),
    answer: ok(PayoutView, 'The payout as it is then', PAYOUT_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, caller }) => payoutView(await voidByEither(deps, path.id, caller?.accountId)),
  });
}
