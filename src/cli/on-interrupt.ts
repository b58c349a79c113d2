// Cleans up when a command is interrupted.
import { endInterrupted, onSignals } from './signals.ts';

/** Runs `work`. A signal meanwhile calls `cleanUp` and ends the process, even when `work` fails because of the removal. */
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
