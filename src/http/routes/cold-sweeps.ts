// Routes of cold sweeps, and of giving up a payout.
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
      'Sends the surplus of the sender to the address of the network in `payouts.coldAddresses`, as a payout without an order. What open payouts and waiting orders need stays. An asset has one open sweep at a time. A pause does not stop it.',
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
    summary: 'Give up a payout that is in no block',
    description:
      'A transaction that moves nothing uses up its slot; then the payout is `voided`, and its order, if any, is held as `payout_voided`. If a block includes the transfer first, the transfer stands.',
    tag,
    path: idOf('payout'),
    answer: ok(PayoutView, 'The payout as it is then', PAYOUT_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, caller }) => payoutView(await voidByEither(deps, path.id, caller?.accountId)),
  });
}
