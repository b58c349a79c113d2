// Signals that ask a command to stop.

/** What a shell gives to a process that an interrupt ended. */
const INTERRUPTED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal and npm may both pass the same signal on; one that comes later than this is meant. */
const SAME_SIGNAL_MS = 1_000;

/** Calls `onFirst` at the first signal; a second one, given in earnest, ends the process at once. Returns how to stop listening. */
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
