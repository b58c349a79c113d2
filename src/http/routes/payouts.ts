// Routes of payouts and their networks.
import type { FastifyInstance } from 'fastify';
import { checkPage } from '../../api/paging.ts';
import {
  CHAINS_EXAMPLE,
  ChainsView,
  PAYOUT_EXAMPLE,
  PAYOUTS_EXAMPLE,
  PayoutsPage,
  PayoutsQuery,
  PayoutView,
} from '../../api/payouts.ts';
import type { Chains } from '../../chains/chain.ts';
import { requireFound } from '../../lib/errors.ts';
import { findPayoutByEither } from '../../payouts/store/list.ts';
import { listPayouts, payoutView } from '../../payouts/view.ts';
import { readChainStatus } from '../../payouts/watch/chain-status.ts';
import type { Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Payouts';

type Deps = { readonly db: Sql; readonly chains: Chains; readonly pageSize: number };

export function payoutRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/payouts',
    operationId: 'listPayouts',
    summary: 'List payouts',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: PayoutsQuery,
    check: checkPage,
    answer: ok(PayoutsPage, 'A page of payouts', PAYOUTS_EXAMPLE),
    handle: async ({ query, caller }) => listPayouts(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payouts/:id',
    operationId: 'getPayout',
    summary: 'Read a payout',
    description: 'By its own id; by that of an order, the newest payout of the order.',
    tag,
    path: idOf('payout'),
    answer: ok(PayoutView, 'The payout', PAYOUT_EXAMPLE),
    handle: async ({ path, caller }) => {
      const payout = requireFound(await findPayoutByEither(deps.db, path.id, caller?.accountId), 'payout');
      return payoutView(payout);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/chains',
    operationId: 'listChains',
    summary: 'Read the state of the networks',
    description:
      'Asks the nodes of each network for their health and the funds of the senders. Fields without an answer are absent.',
    tag,
    answer: ok(ChainsView, 'Every network of the settings', CHAINS_EXAMPLE),
    handle: async () => {
      const statuses = await Promise.all(Object.values(deps.chains).map(chain => readChainStatus(deps, chain)));
      return { chains: statuses };
    },
  });
}
