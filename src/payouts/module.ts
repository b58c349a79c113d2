// What payouts give the service: the lines of the networks, the engine that sends, alarms, receipts, and operators' acts.
import { ALARM_SCHEMAS } from '../api/alarms.ts';
import { PAYOUT_SCHEMAS } from '../api/payouts.ts';
import { RECEIPT_SCHEMAS } from '../api/receipts.ts';
import { SENDER_SCHEMAS } from '../api/senders.ts';
import { TOP_UP_SCHEMAS } from '../api/top-ups.ts';
import { alarmRoutes } from '../http/routes/alarms.ts';
import { coldSweepRoutes } from '../http/routes/cold-sweeps.ts';
import { pauseRoutes } from '../http/routes/pauses.ts';
import { payoutRoutes } from '../http/routes/payouts.ts';
import { type ReceiptDeps, receiptRoutes } from '../http/routes/receipts.ts';
import { type SenderDeps, senderRoutes } from '../http/routes/senders.ts';
import { topUpRoutes } from '../http/routes/top-ups.ts';
import type { Module } from '../module.ts';
import { payoutActs } from '../web/dashboard/payout-acts.ts';
import { payoutPages } from '../web/dashboard/payouts.ts';
import { topUpActs } from '../web/dashboard/top-up-acts.ts';
import { type AdvanceDeps, payoutJobs } from './engine/advance.ts';
import { lookupTimerSweep } from './engine/lookup-timers.ts';
import { type ClaimDeps, claimJobs } from './line/claim.ts';
import { claimTimerSweep } from './line/claim-timers.ts';
import type { TopUpDeps } from './own-transfers/make-top-up.ts';
import type { ColdSweepDeps } from './own-transfers/sweep-to-cold.ts';
import type { PauseDeps } from './policy/pause-and-resume.ts';
import { startWatchingPayouts, type WatchPayoutsDeps, watchPayouts } from './watch/watch.ts';

type Work = AdvanceDeps & ClaimDeps & WatchPayoutsDeps;
type Faces = PauseDeps & SenderDeps & ColdSweepDeps & TopUpDeps & ReceiptDeps & { readonly pageSize: number };

export function payoutsModule(deps: Work & Faces): Module {
  return {
    jobs: [...payoutJobs(deps), ...claimJobs(deps)],
    sweeps: [lookupTimerSweep(deps), claimTimerSweep(deps)],
    background: [{ start: () => startWatchingPayouts(deps), runDue: () => watchPayouts(deps) }],
    schemas: [...PAYOUT_SCHEMAS, ...ALARM_SCHEMAS, ...RECEIPT_SCHEMAS, ...SENDER_SCHEMAS, ...TOP_UP_SCHEMAS],
    routes: app => {
      payoutRoutes(app, deps);
      alarmRoutes(app, deps);
      receiptRoutes(app, deps);
      pauseRoutes(app, deps);
      senderRoutes(app, deps);
      coldSweepRoutes(app, deps);
      topUpRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      payoutPages(scope, pages);
      payoutActs(scope, { ...pages, coldAddresses: deps.coldAddresses });
      topUpActs(scope, { ...pages, topUps: deps });
    },
  };
}
