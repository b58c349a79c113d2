// Creating a webhook: an address that receives every event from now on.
import { setAuditObject, withoutAuditContext } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { OutgoingDeps } from '../lib/outgoing-request.ts';
import type { Database } from '../storage/database.ts';
import { sealsSecrets } from '../storage/sealed-secrets.ts';
import type { SecretBox } from '../storage/secret-box.ts';
import { newSecret, secretText } from './sign.ts';
import { assignPositions } from './store-feed.ts';
import { placeOf } from './store-secrets.ts';
import { insertWebhook } from './store-webhooks.ts';
import { MAX_WEBHOOKS, type Webhook } from './webhook.ts';
import { checkWebhookUrl } from './webhook-url.ts';

export type WebhookDeps = OutgoingDeps & {
  readonly db: Database;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
};

type NewWebhook = {
  /** Absent: events of every account. */
  readonly accountId?: string | undefined;
  readonly url: string;
  /** Absent: every type. */
  readonly types?: readonly string[] | undefined;
  readonly enabled?: boolean | undefined;
};

/** A webhook with the secret that signs its messages, which is shown only this once. */
export type WebhookWithSecret = { readonly webhook: Webhook; readonly secret: string };

/** Refuses an address that events may not be sent to, and more webhooks than an account may have. */
export async function createWebhook(deps: WebhookDeps, input: NewWebhook): Promise<WebhookWithSecret> {
  const { accountId, url, types, enabled = true } = input;
  const faults = await checkWebhookUrl(deps, url);
  if (faults.length > 0) throw invalidRequest(faults);
  const now = deps.clock.now();
  const secret = newSecret();
  const webhook: Webhook = {
    id: uuidV7(now),
    ...(accountId !== undefined && { accountId }),
    url,
    ...(types && { types: [...new Set(types)] }),
    enabled,
    createdAt: now,
    updatedAt: now,
  };
  const sealed = deps.secretBox.seal(secret, placeOf(webhook.id));
  // Events that are committed by now get their positions first, so that the webhook does not receive them.
  await withoutAuditContext(() => assignPositions(deps.db));
  await deps.db.transaction(async tx => {
    const stored = (await sealsSecrets(tx)) ? sealed : secret;
    const isWritten = await insertWebhook(tx, webhook, { secret: stored, limit: MAX_WEBHOOKS });
    if (!isWritten) throw new AppError('wrong_state', `There are ${MAX_WEBHOOKS} webhooks already.`);
    setAuditObject(webhook.id);
  });
  return { webhook, secret: secretText(secret) };
}
