// What a command removes when it is asked to stop before its end.
import { endInterrupted, onSignals } from './signals.ts';

/** Runs `work`. A signal meanwhile calls `cleanUp` and ends the process. */
export async function cleaningUp<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const stopListening = onSignals(() => void cleanUp().finally(endInterrupted));
  try {
    return await work();
  } finally {
    stopListening();
  }
}
