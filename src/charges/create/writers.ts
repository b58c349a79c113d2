// The batchers that write concurrent work in one transaction: new charges, decisions of rails, payments, notifications.

import { type DecisionBatches, startDecisionBatches } from '../issue/decide.ts';
import { type NotificationBatches, startNotificationBatches } from '../receive/notifications.ts';
import { type PaymentBatches, startPaymentBatches } from '../receive/pay.ts';
import { type ChargeBatches, startChargeBatches } from './create-batch.ts';

type ChargeWriters = {
  readonly chargeBatches: ChargeBatches;
  readonly decisionBatches: DecisionBatches;
  readonly paymentBatches: PaymentBatches;
  readonly notificationBatches: NotificationBatches;
};

type Deps = Parameters<typeof startChargeBatches>[0] &
  Parameters<typeof startDecisionBatches>[0] &
  Parameters<typeof startPaymentBatches>[0] &
  Parameters<typeof startNotificationBatches>[0];

/** Stop them after everything that may still add to them. */
export function startChargeWriters(deps: Deps): { readonly writers: ChargeWriters; stop(): Promise<void> } {
  const writers = {
    chargeBatches: startChargeBatches(deps),
    decisionBatches: startDecisionBatches(deps),
    paymentBatches: startPaymentBatches(deps),
    notificationBatches: startNotificationBatches(deps),
  };
  return {
    writers,
    stop: async () => {
      for (const batches of Object.values(writers).reverse()) await batches.stop();
    },
  };
}
