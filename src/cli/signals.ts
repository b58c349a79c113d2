// Signals that ask a command to stop.

/** What a shell reports for a process that an interrupt ended. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal and npm may both pass on the same signal; a second one after this time is deliberate. */
const SAME_SIGNAL_MS = 1_000;

/** Calls `onFirst` at the first signal; a deliberate second one ends the process at once. Returns a function that stops listening. */
export function onSignals(onFirst: () => void): () => void {
  let first: number | undefined;
  const received = () => {
    if (first !== undefined) {
      if (Date.now() - first > SAME_SIGNAL_MS) endInterrupted();
      return;
    }
    first = Date.now();
    onFirst();
  };
  for (const signal of SIGNALS) process.on(signal, received);
  return () => {
    for (const signal of SIGNALS) process.off(signal, received);
  };
}

export function endInterrupted(): never {
  process.exit(INTERRUPTED);
}
