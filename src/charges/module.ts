// The module of charges: payments from banks, bank files and statements, the checkout and the pages of operators.
import { AMOUNT_SCHEMAS } from '../api/amounts.ts';
import { BOLETO_FILE_SCHEMAS } from '../api/boleto-files.ts';
import { RETURN_ENTRY_SCHEMAS } from '../api/boleto-return-entries.ts';
import { BOLETO_RETURN_SCHEMAS } from '../api/boleto-returns.ts';
import { CHARGE_SCHEMAS } from '../api/charges.ts';
import { PAYMENT_SCHEMAS } from '../api/payments.ts';
import { REFUND_SCHEMAS } from '../api/refunds.ts';
import { STATEMENT_SCHEMAS } from '../api/statements.ts';
import { amountRoutes } from '../http/routes/amounts.ts';
import { boletoFileRoutes } from '../http/routes/boleto-files.ts';
import { boletoReturnRoutes } from '../http/routes/boleto-returns.ts';
import { chargeRoutes } from '../http/routes/charges.ts';
import { paymentRoutes } from '../http/routes/payments.ts';
import { type RefundRouteDeps, refundRoutes } from '../http/routes/refunds.ts';
import { statementRoutes } from '../http/routes/statements.ts';
import type { Module } from '../module.ts';
import { chargePictureRoutes } from '../web/charge-pictures.ts';
import { type CheckoutDeps, checkoutRoutes } from '../web/checkout/routes.ts';
import { boletoFilePages } from '../web/dashboard/boleto-files.ts';
import { chargeActs } from '../web/dashboard/charge-acts.ts';
import { chargeMoneyActs } from '../web/dashboard/charge-money-acts.ts';
import { chargePages } from '../web/dashboard/charges.ts';
import { moneyPages } from '../web/dashboard/money.ts';
import { newChargeForm } from '../web/dashboard/new-charge.ts';
import { returnPages } from '../web/dashboard/returns.ts';
import { statementPages } from '../web/dashboard/statements.ts';
import { type ExchangeDeps, exchangeDueFiles, startExchangingFiles } from './bank-files/exchange-files.ts';
import { pruneBoletoFiles } from './bank-files/prune-bytes.ts';
import type { ChargeSettings } from './charge-settings.ts';
import type { CreateDeps } from './create/create.ts';
import { type FillDeps, fillLocations, startFillingLocations } from './create/fill-locations.ts';
import type { IssueDeps } from './issue/issue.ts';
import { chargeJobs } from './jobs.ts';
import type { PayDeps } from './receive/pay.ts';
import { pruneNotifications } from './receive/prune-notifications.ts';
import { lookAtRails, startWatchingRails, type WatchDeps } from './receive/watch-rails.ts';
import { compareDueDays, type DailyDeps, startComparingDays } from './reconcile/compare-daily.ts';
import { chargeSweep } from './sweep.ts';

type Work = IssueDeps & PayDeps & Parameters<typeof chargeSweep>[0];
type Banks = WatchDeps & DailyDeps & FillDeps & ExchangeDeps;
type Faces = CreateDeps &
  RefundRouteDeps &
  Parameters<typeof chargeRoutes>[1] &
  Parameters<typeof paymentRoutes>[1] &
  Omit<CheckoutDeps, 'assets'>;

type Settings = Pick<ChargeSettings, 'keepNotifications' | 'keepBoletoFiles'>;

export function chargesModule(deps: Work & Banks & Faces, { keepNotifications, keepBoletoFiles }: Settings): Module {
  return {
    jobs: chargeJobs(deps),
    sweeps: [chargeSweep(deps)],
    prunes: [pruneNotifications(keepNotifications), pruneBoletoFiles(deps, keepBoletoFiles)],
    background: [
      { start: () => startFillingLocations(deps), runDue: () => fillLocations(deps), feedsJobs: true },
      { start: () => startWatchingRails(deps), runDue: () => lookAtRails(deps), feedsJobs: true },
      { start: () => startExchangingFiles(deps), runDue: () => exchangeDueFiles(deps) },
      { start: () => startComparingDays(deps), runDue: () => compareDueDays(deps) },
    ],
    schemas: [
      ...CHARGE_SCHEMAS,
      ...REFUND_SCHEMAS,
      ...AMOUNT_SCHEMAS,
      ...PAYMENT_SCHEMAS,
      ...STATEMENT_SCHEMAS,
      ...BOLETO_RETURN_SCHEMAS,
      ...RETURN_ENTRY_SCHEMAS,
      ...BOLETO_FILE_SCHEMAS,
    ],
    routes: app => {
      chargeRoutes(app, deps);
      refundRoutes(app, deps);
      amountRoutes(app, deps);
      paymentRoutes(app, deps);
      statementRoutes(app, deps);
      boletoReturnRoutes(app, deps);
      boletoFileRoutes(app, deps);
    },
    pages: (app, site) => {
      checkoutRoutes(app, { ...deps, ...site });
      chargePictureRoutes(app, deps);
    },
    dashboard: (scope, pages) => {
      chargePages(scope, pages);
      newChargeForm(scope, pages);
      chargeActs(scope, pages);
      chargeMoneyActs(scope, pages);
      moneyPages(scope, pages);
      statementPages(scope, pages);
      returnPages(scope, pages);
      boletoFilePages(scope, pages);
    },
  };
}
