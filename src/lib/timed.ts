// Timing a call to another system: how long it took and how it ended, for the metrics and, inside of a trace, as a span.
import { isOutage } from './errors.ts';
import { errorTypeOf, type NewSpan, startPart } from './tracing.ts';

export type Ended = { readonly outcome: string; readonly seconds: number };

/** The outcome of a call that failed, where the error is no outage. */
export const ERROR = 'error';

/**
 * Runs a call and reports its end. What it returns or throws passes through; an outage is reported by its code, any other
 * error as `ERROR`.
 */
export async function timed<T>(
  { name, attributes }: Pick<NewSpan, 'name' | 'attributes'>,
  call: () => Promise<T>,
  outcomeOf: (result: T) => string,
  report: (ended: Ended) => void,
): Promise<T> {
  const startedMs = performance.now();
  const span = startPart({ name, attributes, kind: 'client' });
  const end = (outcome: string, errorType?: string) => {
    span?.end({ 'trilho.outcome': outcome }, errorType);
    report({ outcome, seconds: (performance.now() - startedMs) / 1000 });
  };
  try {
    const result = await call();
    end(outcomeOf(result));
    return result;
  } catch (error) {
    end(isOutage(error) ? error.code : ERROR, errorTypeOf(error));
    throw error;
  }
}
