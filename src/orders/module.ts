// The module of orders: their life, the lines of the networks, and what operators do about payouts.
import { NEW_ORDER_SCHEMAS } from '../api/new-order.ts';
import { ORDER_SCHEMAS } from '../api/orders.ts';
import { SENDER_SCHEMAS } from '../api/senders.ts';
import { TOP_UP_SCHEMAS } from '../api/top-ups.ts';
import { TRANSACTION_SCHEMAS } from '../api/transactions.ts';
import { coldSweepRoutes } from '../http/routes/cold-sweeps.ts';
import { orderActionRoutes } from '../http/routes/order-actions.ts';
import { orderRoutes } from '../http/routes/orders.ts';
import { pauseRoutes } from '../http/routes/pauses.ts';
import { senderRoutes } from '../http/routes/senders.ts';
import { topUpRoutes } from '../http/routes/top-ups.ts';
import type { ListReadDeps } from '../http/server/list-read.ts';
import type { Module } from '../module.ts';
import type { QuoteSettings } from '../quotes/quote-settings.ts';
import { orderActs } from '../web/dashboard/order-acts.ts';
import { orderForms } from '../web/dashboard/order-forms.ts';
import { orderPages } from '../web/dashboard/orders.ts';
import { topUpActs } from '../web/dashboard/top-up-acts.ts';
import { type ClaimDeps, claimJobs } from './claim.ts';
import { claimSweep } from './claim-sweep.ts';
import type { ColdSweepDeps } from './cold-sweep.ts';
import type { OrderDeps } from './create.ts';
import { type FollowDeps, followJobs } from './follow.ts';
import { pruneQuotes } from './prune-quotes.ts';
import type { SettlePaidDeps } from './settle-paid.ts';
import { orderSweep } from './sweep.ts';
import type { TopUpDeps } from './top-up.ts';
import { startWatchingPayouts, type WatchPayoutsDeps, watchPayouts } from './watch-payouts.ts';

type Work = FollowDeps & ClaimDeps & WatchPayoutsDeps;
type Faces = OrderDeps &
  SettlePaidDeps &
  ColdSweepDeps &
  TopUpDeps &
  ListReadDeps &
  Parameters<typeof senderRoutes>[1] & { readonly pageSize: number };
type Settings = Pick<QuoteSettings, 'keepQuotes'>;

export function ordersModule(deps: Work & Faces, { keepQuotes }: Settings): Module {
  return {
    jobs: [...followJobs(deps), ...claimJobs(deps)],
    sweeps: [orderSweep(deps), claimSweep(deps)],
    prunes: [pruneQuotes(keepQuotes)],
    background: [{ start: () => startWatchingPayouts(deps), runDue: () => watchPayouts(deps) }],
    schemas: [...TRANSACTION_SCHEMAS, ...NEW_ORDER_SCHEMAS, ...ORDER_SCHEMAS, ...SENDER_SCHEMAS, ...TOP_UP_SCHEMAS],
    routes: app => {
      orderRoutes(app, deps);
      orderActionRoutes(app, deps);
      pauseRoutes(app, deps);
      senderRoutes(app, deps);
      coldSweepRoutes(app, deps);
      topUpRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      orderPages(scope, { ...pages, chains: deps.chains, approvalRules: deps.approvalRules });
      orderActs(scope, { ...pages, chains: deps.chains });
      orderForms(scope, pages);
      topUpActs(scope, { ...pages, topUps: deps });
    },
  };
}
