// trilho serve: starts the service, says where it is, and stops it when asked to.
import { startApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { curlExamples } from '../web/curl.ts';

/** How long an orderly start or stop may take once a stop was requested. */
const EXIT_LIMIT_MS = 45_000;
const INTERRUPTED = 1;

export async function serve(config: Config, log: Log): Promise<number> {
  const stopAsked = Promise.race([signalReceived(), parentEnded()]);
  stopAsked.then(exitInTime);
  const app = await startApp(config, log);
  log.info(`the database is ${app.dataPlace}`);
  log.info(`listening on ${app.url}`);
  const { list, charge } = curlExamples(app.url, systemClock, config.mode);
  // A receiver's own key is no secret: every code shows it. Here a person sees whom payers will pay, before they do.
  const pixKey = config.pixKey ? `\n  Pix key       ${config.pixKey.key} (${config.pixKey.kind})` : '';
  console.log(`
  Trilho ${version} (${config.mode}) listens on ${app.url}
  Reference     ${app.url}/docs/
  Data          ${app.dataPlace}${pixKey}

  List crypto transactions:
  ${list}

  Create a charge:
  ${charge}
`);
  await stopAsked;
  console.log('  Stopping.');
  log.info('stopping');
  await app.stop();
  log.info('stopped');
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

/** Ends the process even when a start or a stop hangs. */
function exitInTime(): void {
  setTimeout(() => process.exit(INTERRUPTED), EXIT_LIMIT_MS).unref();
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
