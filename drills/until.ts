// Waiting with a limit.
import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 250;

/** Polls. False: it did not become true within the time. */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const limit = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > limit) return false;
    await wait(LOOK_MS);
  }
  return true;
}
