// What a command removes when it is asked to stop before its end.
import { endInterrupted, onSignals } from './signals.ts';

/** Runs `work`. A signal meanwhile calls `cleanUp` and ends the process, also when the work fails because of what was removed. */
export async function cleaningUp<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let interrupted: Promise<void> | undefined;
  const stopListening = onSignals(() => {
    interrupted = cleanUp().finally(endInterrupted);
  });
  try {
    return await work();
  } finally {
    await interrupted;
    stopListening();
  }
}
