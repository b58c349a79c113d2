// Delivers events: claims due deliveries, sends them with no transaction open, and writes the outcome. At least once, and in order for
// each object.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type OutgoingAnswer, type OutgoingDeps, sendOutgoing } from '../lib/outgoing-request.ts';
import { runInTrace, type TraceContext, type Tracing } from '../lib/tracing.ts';
import { type Batcher, batcher } from '../storage/batching/batcher.ts';
import type { Database } from '../storage/database.ts';
import { findTraces } from '../storage/object-traces.ts';
import type { SecretBox } from '../storage/secret-box.ts';
import { fanOut } from './fan-out.ts';
import { messageBody, signedHeaders } from './sign.ts';
import { type Claimed, claimDue, type DeliveryEnd, type Ended, endAttempts } from './store-deliveries.ts';
import { placeOf } from './store-secrets.ts';
import { startDeliverySpan } from './trace.ts';
import { ANSWER_TIMEOUT_MS, nextTryAt } from './webhook.ts';

export type DeliverDeps = OutgoingDeps & {
  readonly db: Database;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  /** Events sent to a healthy webhook at the same time, each of another object, by all nodes together. */
  readonly webhookConcurrency: number;
  readonly log: Log;
  readonly tracing?: Tracing | undefined;
  /** Called after every attempt. */
  readonly observeDelivery?: ((attempt: DeliveryAttempt) => void) | undefined;
};

/** The outcome of an attempt, for the metrics. */
export type DeliveryAttempt = { readonly outcome: DeliveryEnd['kind']; readonly seconds: number };

/** Deliveries in flight on one node. */
export const MAX_IN_HAND = 5_000;
const MAX_ROUNDS = 100_000;
const HTTP_GONE = 410;

/** A claimed delivery, and the trace of its object, if it has one. */
export type DueDelivery = Claimed & { readonly trace?: TraceContext | undefined };

/** Takes the deliveries that are due, up to a limit. */
export async function claim(deps: DeliverDeps, limit: number): Promise<DueDelivery[]> {
  const { db, clock, webhookConcurrency: perWebhook } = deps;
  const claimed = await claimDue(db, { claim: randomUUID(), now: clock.now(), limit, perWebhook });
  if (!deps.tracing) return claimed;
  const traces = await findTraces(
    deps,
    claimed.map(({ objectId }) => objectId),
  );
  return claimed.map(delivery => ({ ...delivery, trace: traces.get(delivery.objectId) }));
}

/** Attempts that end at the same time are written by one statement. */
type DeliveryEnds = Batcher<Ended, void>;

const END_LIMITS = { maxSize: 200, maxRunning: 1, maxWaiting: 10_000 } as const;

export function startDeliveryEnds({ db, clock }: Pick<DeliverDeps, 'db' | 'clock'>): DeliveryEnds {
  return batcher(async ended => {
    await endAttempts(db, ended, clock.now());
    return ended.map(() => undefined);
  }, END_LIMITS);
}

/** Sends one delivery and writes the outcome. A signal interrupts it; it is then sent again later. */
export async function attempt(
  deps: DeliverDeps,
  ends: DeliveryEnds,
  delivery: DueDelivery,
  signal?: AbortSignal,
): Promise<void> {
  const body = messageBody(delivery);
  const secrets = delivery.secrets.map(stored => deps.secretBox.open(stored, placeOf(delivery.webhookId)));
  const span = startDeliverySpan(deps.tracing, delivery, delivery.trace);
  const headers = { ...signedHeaders({ id: delivery.eventId, sentAt: new Date(), body }, secrets), ...span?.headers };
  const answer = await sendOutgoing(deps, {
    url: delivery.url,
    headers,
    body,
    timeoutMs: ANSWER_TIMEOUT_MS,
    ...(signal && { signal }),
  });
  const isCutShort = answer.status === undefined && signal?.aborted === true;
  const end = isCutShort ? ({ kind: 'interrupted' } as const) : endOf(answer, delivery.attempts, deps.clock.now());
  deps.observeDelivery?.({ outcome: end.kind, seconds: answer.latencyMs / 1000 });
  span?.end(answer.status, end.kind);
  await ends.add({ delivery, attempt: answer, end });
  runInTrace(deps.tracing, delivery.trace, () => logEnd(deps.log, delivery, answer, end));
}

function logEnd(log: Log, delivery: Claimed, { status, latencyMs }: OutgoingAnswer, end: DeliveryEnd): void {
  const { webhookId, id: deliveryId, attempts: attempt } = delivery;
  const fields = { webhookId, deliveryId, attempt, durationMs: latencyMs, ...(status !== undefined && { status }) };
  if (end.kind === 'delivered') log.debug('delivered to a webhook', fields);
  else if (end.kind === 'interrupted') log.info('a delivery was interrupted by the shutdown; it is sent again', fields);
  else if (end.isGone) log.warn('the webhook answered 410; it is disabled and its deliveries wait', fields);
  else if (end.nextAt) log.info('a delivery failed; it is sent again', { ...fields, reason: end.message });
  else log.warn('a delivery failed for the last time; it is given up', { ...fields, reason: end.message });
}

function endOf(answer: OutgoingAnswer, attempts: number, now: Date): DeliveryEnd {
  if (isSuccess(answer)) return { kind: 'delivered' };
  const nextAt = nextTryAt(attempts, now, Math.random());
  return { kind: 'failed', nextAt, message: failureMessage(answer), isGone: answer.status === HTTP_GONE };
}

export function isSuccess({ status = 0 }: OutgoingAnswer): boolean {
  return status >= 200 && status < 300;
}

/** The text of a failure. */
export function failureMessage({ status, error }: OutgoingAnswer): string {
  return error ?? `Answered ${status}.`;
}

/** Gives events their positions, writes their deliveries and sends everything due, each once. Returns how many were sent. */
export async function deliverDue(deps: DeliverDeps): Promise<number> {
  const ends = startDeliveryEnds(deps);
  let sent = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await fanOut(deps);
    const claimed = await claim(deps, MAX_IN_HAND);
    if (claimed.length === 0) return sent;
    await Promise.all(claimed.map(delivery => attempt(deps, ends, delivery)));
    sent += claimed.length;
  }
  assert.fail('deliveries make deliveries');
}
