// Limits the concurrent calls of a rail and its calls per second. Waiting for a turn ends with the deadline of the call.
import { setTimeout as wait } from 'node:timers/promises';
import { concurrencyLimit } from '../../lib/concurrency-limit.ts';

/** When a call must have ended, on the monotonic clock. */
export type Deadline = { readonly signal: AbortSignal; readonly endsAtMs: number };

export function deadlineIn(timeoutMs: number): Deadline {
  return { signal: AbortSignal.timeout(timeoutMs), endsAtMs: performance.now() + timeoutMs };
}

/** `busyForMs`: there was no turn before the deadline; nothing was done. */
type Turn<T> = { readonly value: T } | { readonly busyForMs: number };

type Limits = <T>(deadline: Deadline, work: () => Promise<T>) => Promise<Turn<T>>;

/** How long a caller waits before trying again when no slot came free before its deadline. */
const BUSY_MS = 1_000;
const SECOND_MS = 1_000;

/** `perSecond` 0 is no limit. */
export function callLimits(maxConcurrent: number, perSecond: number): Limits {
  const limit = concurrencyLimit(maxConcurrent);
  const takeTurn = pace(perSecond);

  return async ({ signal, endsAtMs }, work) => {
    const waitMs = takeTurn(endsAtMs);
    if (waitMs === undefined) return { busyForMs: SECOND_MS };
    if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => {});
    const busy = { busyForMs: BUSY_MS };
    if (signal.aborted) return busy;
    let hasBegun = false;
    const run = limit(async () => {
      // A slot that comes free after the deadline is passed on at once.
      if (signal.aborted) return busy;
      hasBegun = true;
      return { value: await work() };
    });
    const late = new Promise<typeof busy>(resolve => {
      // Work that has begun ends by the same deadline and reports its own outcome.
      signal.addEventListener('abort', () => hasBegun || resolve(busy), { once: true });
    });
    return Promise.race([run, late]);
  };
}

/** Spreads calls: a second's worth may go at once, then one at a time. Undefined: no turn before the deadline. */
function pace(perSecond: number): (endsAtMs: number) => number | undefined {
  if (perSecond === 0) return () => 0;
  const intervalMs = SECOND_MS / perSecond;
  const burstMs = SECOND_MS - intervalMs;
  let nextAtMs = 0;
  return endsAtMs => {
    const nowMs = performance.now();
    const fromMs = Math.max(nextAtMs, nowMs);
    const waitMs = Math.max(0, fromMs - nowMs - burstMs);
    if (nowMs + waitMs >= endsAtMs) return undefined;
    nextAtMs = fromMs + intervalMs;
    return waitMs;
  };
}
