// The module of subscriptions: their timers and jobs, their operations and pages.
import { SUBSCRIPTION_SCHEMAS } from '../../api/subscriptions.ts';
import { type SubscriptionRouteDeps, subscriptionRoutes } from '../../http/routes/subscriptions.ts';
import type { Module } from '../../module.ts';
import { subscriptionActs } from '../../web/dashboard/subscription-acts.ts';
import { subscriptionPages } from '../../web/dashboard/subscriptions.ts';
import { type SubscriptionPageDeps, subscriptionPageRoutes } from '../../web/subscription-page/routes.ts';
import { subscriptionJobs } from './follow.ts';
import { type SubscriptionSweepDeps, subscriptionSweep } from './sweep.ts';

type Deps = SubscriptionSweepDeps & SubscriptionRouteDeps & Omit<SubscriptionPageDeps, 'assets'>;

export function subscriptionsModule(deps: Deps): Module {
  return {
    jobs: subscriptionJobs(deps),
    sweeps: [subscriptionSweep(deps)],
    schemas: SUBSCRIPTION_SCHEMAS,
    routes: app => subscriptionRoutes(app, deps),
    pages: (app, site) => subscriptionPageRoutes(app, { ...deps, ...site }),
    dashboard: (scope, pages) => {
      subscriptionPages(scope, pages);
      subscriptionActs(scope, pages);
    },
  };
}
