// Every resource of the API.
import type { FastifyInstance } from 'fastify';
import type { PeopleDeps } from '../../accounts/people/invite.ts';
import { COMPONENTS } from '../../api/components.ts';
import type { CreateDeps } from '../../charges/create.ts';
import type { PayDeps } from '../../charges/pay.ts';
import type { DeliverDeps } from '../../events/deliver.ts';
import type { ColdSweepDeps } from '../../orders/cold-sweep.ts';
import type { OrderDeps } from '../../orders/create.ts';
import type { QuoteDeps } from '../../quotes/create.ts';
import type { CreateWalletDeps } from '../../wallets/create.ts';
import type { ListReadDeps } from '../server/list-read.ts';
import { accountSettingsRoutes } from './account-settings.ts';
import { accountRoutes } from './accounts.ts';
import { alarmRoutes } from './alarms.ts';
import { amountRoutes } from './amounts.ts';
import { boletoFileRoutes } from './boleto-files.ts';
import { boletoReturnRoutes } from './boleto-returns.ts';
import { chargeRoutes } from './charges.ts';
import { coldSweepRoutes } from './cold-sweeps.ts';
import { type EventStreamDeps, eventStreamRoutes } from './event-stream.ts';
import { eventRoutes } from './events.ts';
import { type HealthDeps, healthRoutes } from './health.ts';
import { keyRoutes } from './keys.ts';
import { ledgerRoutes } from './ledger.ts';
import { orderActionRoutes } from './order-actions.ts';
import { orderRoutes } from './orders.ts';
import { pauseRoutes } from './pauses.ts';
import { paymentRoutes } from './payments.ts';
import { payoutRoutes } from './payouts.ts';
import { peopleRoutes } from './people.ts';
import { quoteRoutes } from './quotes.ts';
import { type ReceiptDeps, receiptRoutes } from './receipts.ts';
import { type RefundRouteDeps, refundRoutes } from './refunds.ts';
import { senderRoutes } from './senders.ts';
import { statementRoutes } from './statements.ts';
import { walletActionRoutes } from './wallet-actions.ts';
import { walletRoutes } from './wallets.ts';
import { webhookDeliveryRoutes } from './webhook-deliveries.ts';
import { webhookRoutes } from './webhooks.ts';

type Deps = PayDeps &
  CreateDeps &
  OrderDeps &
  CreateWalletDeps &
  QuoteDeps &
  EventStreamDeps &
  DeliverDeps &
  ReceiptDeps &
  ColdSweepDeps &
  HealthDeps &
  PeopleDeps &
  ListReadDeps &
  RefundRouteDeps & { readonly pageSize: number };

export function apiRoutes(app: FastifyInstance, deps: Deps): void {
  for (const schema of COMPONENTS) app.addSchema(schema);
  orderRoutes(app, deps);
  orderActionRoutes(app, deps);
  quoteRoutes(app, deps);
  chargeRoutes(app, deps);
  refundRoutes(app, deps);
  amountRoutes(app, deps);
  paymentRoutes(app, deps);
  eventRoutes(app, deps);
  eventStreamRoutes(app, deps);
  webhookRoutes(app, deps);
  webhookDeliveryRoutes(app, deps);
  ledgerRoutes(app, deps);
  walletRoutes(app, deps);
  walletActionRoutes(app, deps);
  payoutRoutes(app, deps);
  pauseRoutes(app, deps);
  senderRoutes(app, deps);
  alarmRoutes(app, deps);
  receiptRoutes(app, deps);
  coldSweepRoutes(app, deps);
  accountSettingsRoutes(app, deps);
  statementRoutes(app, deps);
  boletoReturnRoutes(app, deps);
  boletoFileRoutes(app, deps);
  accountRoutes(app, deps);
  keyRoutes(app, deps);
  peopleRoutes(app, deps);
  healthRoutes(app, deps);
}
