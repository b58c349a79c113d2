// Exponential backoff with jitter between retries.
import { setTimeout as wait } from 'node:timers/promises';

/** Waits before retry number `attempt`, from 1: `baseMs` doubled each time, at most `capMs`; half of the wait is random. */
export async function backOff(attempt: number, baseMs: number, capMs: number): Promise<void> {
  const fullMs = Math.min(capMs, baseMs * 2 ** (attempt - 1));
  await wait(fullMs / 2 + Math.random() * (fullMs / 2));
}
