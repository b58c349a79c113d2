// Sending: what is due is claimed, sent with no transaction open, and its end is written. At least once, and in the order of
// each object.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { type OutgoingAnswer, type Resolve, sendOutgoing } from '../lib/outgoing-request.ts';
import type { Database } from '../storage/database.ts';
import { fanOut } from './fan-out.ts';
import { messageBody, signedHeaders } from './sign.ts';
import { type Claimed, claimDue, type DeliveryEnd, endAttempt } from './store-deliveries.ts';
import { ANSWER_TIMEOUT_MS, nextTryAt } from './webhook.ts';

export type DeliverDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly mode: Mode;
  readonly log: Log;
  /** How names are looked up; by DNS when absent. */
  readonly resolve?: Resolve | undefined;
};

/** What one node has in hand at most. */
export const MAX_IN_HAND = 1_000;
const MAX_ROUNDS = 100_000;
const HTTP_GONE = 410;

/** Takes what is due, at most so many. */
export async function claim(deps: DeliverDeps, limit: number): Promise<Claimed[]> {
  await deps.clock.refresh();
  return claimDue(deps.db, { claim: randomUUID(), now: deps.clock.now(), limit });
}

/** Sends one delivery and writes what came of it. A signal cuts it short and leaves it to be sent again. */
export async function attempt(deps: DeliverDeps, delivery: Claimed, signal?: AbortSignal): Promise<void> {
  const body = messageBody(delivery);
  const headers = signedHeaders({ id: delivery.eventId, sentAt: new Date(), body }, delivery.secrets);
  const answer = await sendOutgoing(deps, {
    url: delivery.url,
    headers,
    body,
    timeoutMs: ANSWER_TIMEOUT_MS,
    ...(signal && { signal }),
  });
  await deps.clock.refresh();
  const now = deps.clock.now();
  const isCutShort = answer.status === undefined && signal?.aborted === true;
  const end = isCutShort ? ({ kind: 'interrupted' } as const) : endOf(answer, delivery.attempts, now);
  await endAttempt(deps.db, delivery, answer, end, now);
}

function endOf(answer: OutgoingAnswer, attempts: number, now: Date): DeliveryEnd {
  if (isSuccess(answer)) return { kind: 'delivered' };
  const nextAt = nextTryAt(attempts, now, Math.random());
  return { kind: 'failed', nextAt, words: failureWords(answer), isGone: answer.status === HTTP_GONE };
}

export function isSuccess({ status = 0 }: OutgoingAnswer): boolean {
  return status >= 200 && status < 300;
}

/** What is said of a failure. */
export function failureWords({ status, error }: OutgoingAnswer): string {
  return error ?? `Answered ${status}.`;
}

/** Places events, writes their deliveries and sends all that is due, each once. Returns how many were sent. */
export async function deliverDue(deps: DeliverDeps): Promise<number> {
  let sent = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await fanOut(deps);
    const claimed = await claim(deps, MAX_IN_HAND);
    if (claimed.length === 0) return sent;
    await Promise.all(claimed.map(delivery => attempt(deps, delivery)));
    sent += claimed.length;
  }
  throw new Error('deliveries make deliveries');
}
