// Growing, jittered waits between tries.
import { setTimeout as wait } from 'node:timers/promises';

/** Waits before try number `attempt` (1 is the first repeat): `baseMs` doubled each time, at most `capMs`, half of it by chance. */
export async function backOff(attempt: number, baseMs: number, capMs: number): Promise<void> {
  const fullMs = Math.min(capMs, baseMs * 2 ** (attempt - 1));
  await wait(fullMs / 2 + Math.random() * (fullMs / 2));
}
