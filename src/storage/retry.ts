// Retries work when the server asks for it or the connection was lost.
import { backOff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import { isRetryable } from './faults.ts';

const MAX_ATTEMPTS = 5;
/** A failure after this time is not retried. */
const RETRY_WINDOW_MS = 3_000;
const RETRY_BASE_MS = 10;
const RETRY_CAP_MS = 400;

/** `isInVain`: a retry would meet the same error. */
export async function withRetries<T>(work: () => Promise<T>, isInVain: (error: unknown) => boolean): Promise<T> {
  const lastTryAt = performance.now() + RETRY_WINDOW_MS;
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const mayRetry = !(error instanceof AppError) && isRetryable(error) && !isInVain(error);
      if (!mayRetry || tried >= MAX_ATTEMPTS || performance.now() >= lastTryAt) throw error;
      await backOff(tried, RETRY_BASE_MS, RETRY_CAP_MS);
    }
  }
}
