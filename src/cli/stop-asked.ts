// A long-running command stops on a signal, or when the process that started it has ended.
import { onSignals } from './signals.ts';

/** Resolves when the command must stop. */
export function stopAsked(): Promise<void> {
  return Promise.race([signalReceived(), parentEnded()]);
}

function signalReceived(): Promise<void> {
  return new Promise(resolve => void onSignals(resolve));
}

const CHECK_PARENT_MS = 250;

/**
 * Resolves when the parent process has ended, if it was npm or our own launcher (under an old Node). npm passes a SIGTERM only
 * to its shell, and Debian's shell does not pass it on: without this check the service would outlive its parent.
 */
function parentEnded(): Promise<void> {
  return new Promise(resolve => {
    const { npm_lifecycle_event: npm, LAUNCHED_BY_TRILHO: launcher } = process.env;
    if (npm === undefined && launcher === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, CHECK_PARENT_MS).unref();
  });
}
