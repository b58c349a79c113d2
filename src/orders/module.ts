// The module of orders: their life, and what operators do about them.
import { NEW_ORDER_SCHEMAS } from '../api/new-order.ts';
import { ORDER_SCHEMAS } from '../api/orders.ts';
import { TRANSACTION_SCHEMAS } from '../api/transactions.ts';
import { orderActionRoutes } from '../http/routes/order-actions.ts';
import { orderRoutes } from '../http/routes/orders.ts';
import type { ListReadDeps } from '../http/server/list-read.ts';
import type { Module } from '../module.ts';
import type { QuoteSettings } from '../quotes/quote-settings.ts';
import { orderActs } from '../web/dashboard/order-acts.ts';
import { orderForms } from '../web/dashboard/order-forms.ts';
import { orderPages } from '../web/dashboard/orders.ts';
import type { OrderDeps } from './create.ts';
import { type FollowDeps, followJobs } from './follow.ts';
import { pruneQuotes } from './prune-quotes.ts';
import type { SettlePaidDeps } from './settle-paid.ts';
import { orderSweep } from './sweep.ts';

type Deps = FollowDeps & OrderDeps & SettlePaidDeps & ListReadDeps & { readonly pageSize: number };
type Settings = Pick<QuoteSettings, 'keepQuotes'>;

export function ordersModule(deps: Deps, { keepQuotes }: Settings): Module {
  return {
    jobs: followJobs(deps),
    sweeps: [orderSweep(deps)],
    prunes: [pruneQuotes(keepQuotes)],
    schemas: [...TRANSACTION_SCHEMAS, ...NEW_ORDER_SCHEMAS, ...ORDER_SCHEMAS],
    routes: app => {
      orderRoutes(app, deps);
      orderActionRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      orderPages(scope, { ...pages, chains: deps.chains, approvalRules: deps.approvalRules });
      orderActs(scope, { ...pages, chains: deps.chains });
      orderForms(scope, pages);
    },
  };
}
