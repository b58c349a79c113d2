// trilho serve: starts the service, says where it is, and stops it when asked to.
import { startApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { curlExamples } from '../web/curl.ts';

/** How long an orderly start or stop may take once a stop was requested. */
const LEAVE_LIMIT_MS = 45_000;
const INTERRUPTED = 1;

export async function serve(config: Config, log: Log): Promise<number> {
  const stopAsked = Promise.race([signalReceived(), leftByParent()]);
  stopAsked.then(leaveInTime);
  const app = await startApp(config, log);
  const { list, charge } = curlExamples(app.url, systemClock, config.mode);
  console.log(`
  Trilho ${version} (${config.mode}) listens on ${app.url}
  Reference     ${app.url}/docs/
  Data          ${app.dataPlace}

  List crypto transactions:
  ${list}

  Create a charge:
  ${charge}
`);
  await stopAsked;
  console.log('  Stopping.');
  await app.stop();
  return 0;
}

/** A terminal and npm may both pass the same signal on; one that comes later than this is meant. */
const SAME_SIGNAL_MS = 1_000;

/** Resolves at the first signal. A second one, given in earnest, ends the process at once. */
function signalReceived(): Promise<void> {
  return new Promise(resolve => {
    let first: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        first ??= Date.now();
        if (Date.now() - first > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
        resolve();
      });
    }
  });
}

/** Whatever hangs, be it a start or a stop, does not keep us. */
function leaveInTime(): void {
  setTimeout(() => process.exit(INTERRUPTED), LEAVE_LIMIT_MS).unref();
}

const LOOK_FOR_PARENT_MS = 250;

/**
 * Resolves when whoever started us on another's behalf is gone: npm, which passes a SIGTERM only to a shell that may not
 * have made way for its command (Debian's), or our own launcher under an old Node. They would end and leave us behind.
 */
function leftByParent(): Promise<void> {
  return new Promise(resolve => {
    const { npm_lifecycle_event: npm, LAUNCHED_BY_TRILHO: launcher } = process.env;
    if (npm === undefined && launcher === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, LOOK_FOR_PARENT_MS).unref();
  });
}
