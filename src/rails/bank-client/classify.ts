// What an answer, or its absence, says about a request.
import type { Clock } from '../../lib/clock.ts';
import type { Exchanged, HttpAnswer } from './exchange.ts';
import type { ClientProfile } from './profile.ts';
import { type PspError, readError, readJson } from './read-answer.ts';

/** Nothing was sent, or the PSP says that it accepted nothing. `reason` is for the operator. */
export type Unavailable = { readonly kind: 'unavailable'; readonly reason: string; readonly retryAt?: Date };

export type Answer =
  /** `body` is undefined when it is empty or not JSON. */
  | { readonly kind: 'ok'; readonly status: number; readonly body: unknown }
  /** The PSP has judged the request itself: 400, 404, 409, 422 and the like. */
  | ({ readonly kind: 'refused'; readonly status: number } & PspError)
  /** The request was sent; what became of it is unknown. */
  | { readonly kind: 'unknown'; readonly reason: string }
  | (Unavailable & { readonly status?: number });

/** Wrong credentials, scopes and certificates are our fault: never a refusal of the request. */
const OUR_FAULTS: Readonly<Record<number, string>> = {
  401: 'the PSP does not accept the token',
  403: 'the PSP denies access: a scope or the contract of this client lacks it',
  407: 'a proxy wants credentials',
};

const RETRY_LATER = [429, 503];

export function classify(exchanged: Exchanged, profile: Pick<ClientProfile, 'errorShapes'>, clock: Clock): Answer {
  if ('failure' in exchanged) {
    const { mayHaveArrived, reason } = exchanged.failure;
    return { kind: mayHaveArrived ? 'unknown' : 'unavailable', reason };
  }
  const { answer } = exchanged;
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'ok', status, body: readJson(answer.text) };
  const ourFault = OUR_FAULTS[status];
  if (ourFault !== undefined) return { kind: 'unavailable', status, reason: ourFault };
  const retryAt = retryTime(answer, clock);
  // Only with Retry-After does a 503 come from the PSP itself; without it a gateway may have lost the answer.
  if (status === 429 || (retryAt && RETRY_LATER.includes(status))) {
    return {
      kind: 'unavailable',
      status,
      reason: `the PSP asks to try later (${status})`,
      ...(retryAt && { retryAt }),
    };
  }
  if (status >= 500 || status === 408) return { kind: 'unknown', reason: `the PSP failed (${status})` };
  const body = readJson(answer.text);
  const isPage = body === undefined && answer.text.trim() !== '';
  // An HTML page comes from a gateway that refuses the path or the certificate, not from the API.
  if (status < 400 || isPage)
    return { kind: 'unavailable', status, reason: `the answer is not one of the API (${status})` };
  return { kind: 'refused', status, ...(readError(body, profile.errorShapes) ?? { message: '' }) };
}

const MAX_RETRY_MS = 3_600_000;

/** Seconds or a date; undefined when absent or unreadable. */
export function retryTime({ headers }: HttpAnswer, clock: Clock): Date | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const nowMs = clock.now().getTime();
  const waitMs = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : new Date(nowMs + Math.min(Math.max(waitMs, 0), MAX_RETRY_MS));
}
