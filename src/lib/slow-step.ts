// Steps of a start that may take long: the log says which one is under way, and again for as long as it lasts.
import type { Log } from './log.ts';

const SAY_EVERY_MS = 2_000;

/** Runs a step. One that is quick is not worth a line. */
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
