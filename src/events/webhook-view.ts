// How the API shows webhooks and their deliveries.
import type { Delivery } from './store-delivery-list.ts';
import { healthOf, type Webhook } from './webhook.ts';

export function webhookView(webhook: Webhook) {
  const { id, url, types, accountId, enabled, disabledReason, failingSince, lastError, lastErrorAt } = webhook;
  return {
    id,
    url,
    ...(types && { types: [...types] }),
    ...(accountId !== undefined && { accountId }),
    enabled,
    health: healthOf(webhook),
    ...(disabledReason && { disabledReason }),
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    ...(lastError !== undefined && { lastError }),
    ...(lastErrorAt && { lastErrorAt: lastErrorAt.toISOString() }),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

export function deliveryView(delivery: Delivery) {
  const { nextAttemptAt, deliveredAt, createdAt, attempts, ...rest } = delivery;
  return {
    ...rest,
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(deliveredAt && { deliveredAt: deliveredAt.toISOString() }),
    createdAt: createdAt.toISOString(),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  };
}
