// Finds the webhook that a caller names, or refuses.
import { noSuch, requireFound } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findWebhook } from './store-webhooks.ts';
import type { Webhook } from './webhook.ts';

/** A caller with an account sees only the webhooks of that account. A webhook never changes its account. */
export async function requireWebhook(db: Sql, id: string, accountId?: string): Promise<Webhook> {
  const webhook = requireFound(await findWebhook(db, id), 'webhook');
  if (accountId !== undefined && webhook.accountId !== accountId) throw noSuch('webhook');
  return webhook;
}
