// What payouts give the service: the engine that sends, its receipts, and the pages of what was sent.
import { ALARM_SCHEMAS } from '../api/alarms.ts';
import { PAYOUT_SCHEMAS } from '../api/payouts.ts';
import { RECEIPT_SCHEMAS } from '../api/receipts.ts';
import { alarmRoutes } from '../http/routes/alarms.ts';
import { payoutRoutes } from '../http/routes/payouts.ts';
import { type ReceiptDeps, receiptRoutes } from '../http/routes/receipts.ts';
import type { Module } from '../module.ts';
import { type PayoutActDeps, payoutActs } from '../web/dashboard/payout-acts.ts';
import { payoutPages } from '../web/dashboard/payouts.ts';
import { type AdvanceDeps, payoutJobs } from './engine/advance.ts';
import { payoutSweep } from './engine/sweep.ts';

type Deps = AdvanceDeps &
  ReceiptDeps &
  Parameters<typeof payoutSweep>[0] &
  Pick<PayoutActDeps, 'coldAddresses'> & { readonly pageSize: number };

export function payoutsModule(deps: Deps): Module {
  return {
    jobs: payoutJobs(deps),
    sweeps: [payoutSweep(deps)],
    schemas: [...PAYOUT_SCHEMAS, ...ALARM_SCHEMAS, ...RECEIPT_SCHEMAS],
    routes: app => {
      payoutRoutes(app, deps);
      alarmRoutes(app, deps);
      receiptRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      payoutPages(scope, pages);
      payoutActs(scope, { ...pages, coldAddresses: deps.coldAddresses });
    },
  };
}
