// Timing a call to another system: how long it took and how it ended, for the metrics.
import { isOutage } from './errors.ts';

export type Ended = { readonly outcome: string; readonly seconds: number };

/**
 * Runs a call and reports its end. What it returns or throws passes through; an outage is reported by its code, any other
 * error as `error`.
 */
export async function timed<T>(
  call: () => Promise<T>,
  outcomeOf: (result: T) => string,
  report: (ended: Ended) => void,
): Promise<T> {
  const startedMs = performance.now();
  const end = (outcome: string) => report({ outcome, seconds: (performance.now() - startedMs) / 1000 });
  try {
    const result = await call();
    end(outcomeOf(result));
    return result;
  } catch (error) {
    end(isOutage(error) ? error.code : 'error');
    throw error;
  }
}
