// Sends a test message to a webhook now: signed and sent like any event, but not stored.

import { uuidV7 } from '../lib/ids.ts';
import { sendOutgoing } from '../lib/outgoing-request.ts';
import type { DeliverDeps } from './deliver.ts';
import { failureMessage, isSuccess } from './deliver.ts';
import { messageBody, signedHeaders } from './sign.ts';
import { placeOf } from './store-secrets.ts';
import { readSecrets } from './store-webhooks.ts';
import { ANSWER_TIMEOUT_MS, type Webhook } from './webhook.ts';

export const PING = 'webhook.ping';

type PingOutcome = {
  readonly eventId: string;
  readonly success: boolean;
  readonly status?: number;
  readonly error?: string;
  readonly answer?: string;
  readonly latencyMs: number;
};

/** Returns the outcome. The state of the webhook does not change. */
export async function pingWebhook(deps: DeliverDeps, { id, accountId, url }: Webhook): Promise<PingOutcome> {
  const now = deps.clock.now();
  const eventId = uuidV7(now);
  const occurredAt = now.toISOString();
  const event = {
    id: eventId,
    type: PING,
    occurredAt,
    ...(accountId !== undefined && { accountId }),
    objectId: id,
    sequence: 1,
    object: { webhookId: id },
  };
  const body = messageBody({ type: PING, occurredAt, json: JSON.stringify(event) });
  const stored = await readSecrets(deps.db, id, now);
  const secrets = stored.map(secret => deps.secretBox.open(secret, placeOf(id)));
  const headers = signedHeaders({ id: eventId, sentAt: new Date(), body }, secrets);
  const { status, answer, latencyMs, ...rest } = await sendOutgoing(deps, {
    url,
    headers,
    body,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
  const success = isSuccess({ latencyMs, ...(status !== undefined && { status }) });
  const error = success ? undefined : failureMessage({ ...rest, latencyMs, ...(status !== undefined && { status }) });
  return {
    eventId,
    success,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(answer !== undefined && { answer }),
    latencyMs,
  };
}
