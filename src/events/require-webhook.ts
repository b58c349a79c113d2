// Finds the webhook that a caller names, or refuses.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findWebhook } from './store-webhooks.ts';
import type { Webhook } from './webhook.ts';

/** A caller with an account sees only the webhooks of that account. A webhook never changes its account. */
export async function requireWebhook(db: Sql, id: string, accountId?: string): Promise<Webhook> {
  const webhook = present(await findWebhook(db, id));
  if (accountId !== undefined && webhook.accountId !== accountId) throw noSuchWebhook();
  return webhook;
}

/** For a webhook that may have been deleted since it was read. */
export function present(webhook: Webhook | undefined): Webhook {
  if (!webhook) throw noSuchWebhook();
  return webhook;
}

function noSuchWebhook(): AppError {
  return new AppError('not_found', 'There is no such webhook.');
}
