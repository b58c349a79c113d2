// Steps of a start that may take long: logs which one is running, repeatedly.
import type { Log } from './log.ts';

const SAY_EVERY_MS = 2_000;

/** Runs a step. A fast one is not logged. */
export async function slowStep<T>(log: Log, what: string, step: () => Promise<T>): Promise<T> {
  const startedMs = performance.now();
  const saying = setInterval(() => {
    log.info(`still starting: ${what}`, { durationMs: Math.round(performance.now() - startedMs) });
  }, SAY_EVERY_MS);
  try {
    return await step();
  } finally {
    clearInterval(saying);
  }
}
