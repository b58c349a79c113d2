// One Tron node, or a service in front of many: POST with JSON, within a deadline. A node that refuses over its quota, or fails several
// times in a row, is not called for a while, so that it does not slow every payout down.
import type { Clock } from '../../lib/clock.ts';
import { type ConcurrencyLimit, concurrencyLimit } from '../../lib/concurrency-limit.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { nodeMessage } from '../node-message.ts';
import { errorOf } from './messages.ts';

export type ProviderSettings = {
  readonly name: string;
  /** `wallet/…` and `walletsolidity/…` are below it. */
  readonly url: string;
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: string;
  /** After which a call counts as not answered; 3 when absent. */
  readonly timeoutSeconds?: number;
};

/** What a node answered, or why there is no answer, as a text for operators. */
export type Asked<T> = { readonly value: T; readonly failure?: undefined } | { readonly failure: string };

/** Reads an answer; undefined when it has not the expected shape. Every number in it is its source text. */
export type Reader<T> = (answer: unknown) => T | undefined;

/** For an answer that is larger than most. */
type Bounds = { readonly maxBytes: number; readonly timeoutSeconds: number };

export type Provider = {
  readonly name: string;
  ask<T>(path: string, body: Readonly<Record<string, unknown>>, read: Reader<T>, bounds?: Bounds): Promise<Asked<T>>;
};

const TIMEOUT_SECONDS = 3;
/** After 403 or 429 TronGrid answers nothing for about this long. */
const QUOTA_SILENCE_MS = 30_000;
const FAILURES_TO_OPEN = 3;
const OPEN_MS = 10_000;
const MAX_AT_ONCE = 16;
/** The list of chain parameters is the largest answer, beside whole blocks. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export function connectProvider(settings: ProviderSettings, clock: Clock): Provider {
  const { name, url, apiKey, timeoutSeconds = TIMEOUT_SECONDS } = settings;
  const base = url.endsWith('/') ? url : `${url}/`;
  const limit: ConcurrencyLimit = concurrencyLimit(MAX_AT_ONCE);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey !== undefined && { 'TRON-PRO-API-KEY': apiKey }),
  };
  let failures = 0;
  let silence = { fromMs: 0, untilMs: 0, reason: '' };

  function silenceReason(): string | undefined {
    const nowMs = clock.now().getTime();
    // A clock that was set back must not prolong the pause.
    return nowMs >= silence.fromMs && nowMs < silence.untilMs ? silence.reason : undefined;
  }

  function keepSilent(ms: number, reason: string): void {
    const fromMs = clock.now().getTime();
    silence = { fromMs, untilMs: fromMs + ms, reason: `is not asked for ${ms / 1000} s: ${reason}` };
  }

  async function exchange(path: string, body: unknown, bounds: Bounds): Promise<Asked<unknown>> {
    const reason = silenceReason();
    if (reason !== undefined) return { failure: reason };
    const asked = await post(new URL(path, base), { headers, body: JSON.stringify(body), ...bounds });
    if ('answer' in asked) {
      failures = 0;
      return { value: asked.answer };
    }
    const failure = apiKey === undefined ? asked.failure : asked.failure.replaceAll(apiKey, '…');
    failures++;
    if (asked.isQuota) keepSilent(QUOTA_SILENCE_MS, failure);
    else if (failures >= FAILURES_TO_OPEN) keepSilent(OPEN_MS, failure);
    return { failure };
  }

  return {
    name,
    ask: async (path, body, read, bounds = { maxBytes: MAX_ANSWER_BYTES, timeoutSeconds }) => {
      const asked = await limit(() => exchange(path, body, bounds));
      if (asked.failure !== undefined) return { failure: `${name} ${asked.failure}` };
      const error = errorOf(asked.value);
      if (error !== undefined) return { failure: `${name} says: ${error}` };
      const value = read(asked.value);
      return value === undefined ? { failure: `${name} answered ${path} in a way that cannot be read` } : { value };
    },
  };
}

type Request = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} & Bounds;
type Posted = { readonly answer: unknown } | { readonly failure: string; readonly isQuota: boolean };

/** Never rejects. */
async function post(url: URL, { headers, body, maxBytes, timeoutSeconds }: Request): Promise<Posted> {
  const failed = (failure: string, isQuota = false): Posted => ({ failure, isQuota });
  try {
    const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
    // A redirect would send the key to another server.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    const text = await readText(response, maxBytes);
    if (text === undefined) return failed('sent an answer that is too large');
    if (response.status === 200) return { answer: parseExactJson(text) };
    const message = nodeMessage(text);
    const isQuota = response.status === 403 || response.status === 429;
    return failed(`answered ${response.status}${message === '' ? '' : `: ${message}`}`, isQuota);
  } catch (error) {
    return failed(reasonOf(error, timeoutSeconds));
  }
}

async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown, timeoutSeconds: number): string {
  if (error instanceof SyntaxError) return 'did not answer with JSON';
  if (error instanceof DOMException && error.name === 'TimeoutError') return `did not answer in ${timeoutSeconds} s`;
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? `was not reached (${code})` : 'was not reached';
}
