// When a request is sent again, and after how long.
import type { TrilhoError } from './trilho-error.ts';

/** Status 408, or any of a server's fault. */
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;

/** The service refused these before it did anything. */
const NOTHING_DONE = ['overloaded', 'stopping', 'request_timeout'];

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** A longer `Retry-After` is left to the caller. */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Whether another attempt may succeed, whatever the request does. */
export function isPassing({ code, status }: TrilhoError): boolean {
  if (status === undefined) return code === 'connection_failed' || code === 'timeout';
  return status === REQUEST_TIMEOUT || status === TOO_MANY_REQUESTS || status >= SERVER_ERRORS;
}

/** Whether the service may have carried out what it answered so. */
export function mayBeDone(code: string, status: number): boolean {
  if (NOTHING_DONE.includes(code) || status === TOO_MANY_REQUESTS) return false;
  return status >= SERVER_ERRORS || status === REQUEST_TIMEOUT;
}

/**
 * How long to wait before the next attempt: a random part of a pause that doubles, on top of what the service asked for. Undefined when it
 * asked for more than the client waits.
 */
export function pauseMs(attempt: number, retryAfterMs = 0): number | undefined {
  if (retryAfterMs > LONGEST_RETRY_AFTER_MS) return undefined;
  return retryAfterMs + Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
}

/** The milliseconds of a `Retry-After`: seconds, or a date. */
export function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Waits, unless the signal ends it. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;

export const waitMs: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
