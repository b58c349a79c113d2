import { createLog, type Log } from '../../src/lib/log.ts';

export const silentLog: Log = createLog('silent', { write: () => {} });

/** A log whose lines a test can read. */
export function recordingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog('debug', { write: line => void lines.push(line) }), lines };
}
