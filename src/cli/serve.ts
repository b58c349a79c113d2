// trilho serve: starts the service, says where it is, and stops it when asked to.
import { startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../version.ts';
import { curlExamples } from '../web/curl.ts';

export async function serve(config: Config, log: Log): Promise<number> {
  const stopAsked = Promise.race([signalReceived('SIGINT', 'SIGTERM'), leftByNpm()]);
  const app = await startApp(config, { log });
  const { list, charge } = curlExamples(app.url, systemClock);
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

/** Resolves at the first signal. Further ones change nothing: a terminal and npm may both pass the same one on. */
function signalReceived(...signals: NodeJS.Signals[]): Promise<void> {
  return new Promise(resolve => {
    for (const signal of signals) process.on(signal, () => resolve());
  });
}

const LOOK_FOR_PARENT_MS = 250;

/**
 * Resolves when npm started us and its shell is gone. npm passes a SIGTERM to that shell only, and a shell that did not
 * make way for its command (Debian's) dies of it alone: `npm start` would end and leave the service behind.
 */
function leftByNpm(): Promise<void> {
  return new Promise(resolve => {
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, LOOK_FOR_PARENT_MS).unref();
  });
}
