// What a command removes when it is asked to stop before its end.

const INTERRUPTED = 1;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `work`. A signal meanwhile calls `cleanUp` and ends the process; a second one ends it at once. */
export async function cleaningUp<T>(cleanUp: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let isEnding = false;
  const end = () => {
    if (isEnding) process.exit(INTERRUPTED);
    isEnding = true;
    void cleanUp().finally(() => process.exit(INTERRUPTED));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
