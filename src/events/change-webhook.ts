// Changing, deleting and re-keying a webhook. `accountId` is the caller's account, when it has one.
import type { Clock } from '../lib/clock.ts';
import { invalidRequest, requireFound } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { sealsSecrets } from '../storage/sealed-secrets.ts';
import type { SecretBox } from '../storage/secret-box.ts';
import type { WebhookDeps, WebhookWithSecret } from './create-webhook.ts';
import { requireWebhook } from './require-webhook.ts';
import { newSecret, secretText } from './sign.ts';
import { placeOf } from './store-secrets.ts';
import { markDeleted, replaceSecret, updateWebhook, type WebhookChange } from './store-webhooks.ts';
import { BOTH_SECRETS_MS, type Webhook } from './webhook.ts';
import { checkWebhookUrl } from './webhook-url.ts';

type Deps = { readonly db: Database; readonly clock: Clock };
type RotateDeps = Deps & { readonly secretBox: SecretBox };

/** Changes only the given fields. Refuses an address that events may not be sent to. */
export async function changeWebhook(
  deps: WebhookDeps,
  id: string,
  { url, types, enabled }: WebhookChange,
  accountId?: string,
): Promise<Webhook> {
  const faults = await checkWebhookUrl(deps, url);
  if (faults.length > 0) throw invalidRequest(faults);
  await requireWebhook(deps.db, id, accountId);
  const now = deps.clock.now();
  const changes = { url, types: types && [...new Set(types)], enabled };
  return requireFound(await deps.db.transaction(tx => updateWebhook(tx, id, changes, now)), 'webhook');
}

/** Stops sending to it. Returns the webhook as it was. */
export async function deleteWebhook({ db, clock }: Deps, id: string, accountId?: string): Promise<Webhook> {
  const before = await requireWebhook(db, id, accountId);
  const now = clock.now();
  requireFound(await db.transaction(tx => markDeleted(tx, id, now)), 'webhook');
  return before;
}

/** For a day both the old and the new secret sign, so that the receiver can switch. */
export async function rotateSecret(deps: RotateDeps, id: string, accountId?: string): Promise<WebhookWithSecret> {
  const { db, clock, secretBox } = deps;
  const now = clock.now();
  const secret = newSecret();
  const sealed = secretBox.seal(secret, placeOf(id));
  const until = new Date(now.getTime() + BOTH_SECRETS_MS);
  await requireWebhook(db, id, accountId);
  const changed = await db.transaction(async tx => {
    const stored = (await sealsSecrets(tx)) ? sealed : secret;
    return replaceSecret(tx, { id, secret: stored, until, now });
  });
  const webhook = requireFound(changed, 'webhook');
  return { webhook, secret: secretText(secret) };
}
