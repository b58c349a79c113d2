// trilho serve: starts the service, says where it is, and stops it when asked to.
import { startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../version.ts';
import { curlExamples } from '../web/curl.ts';

export async function serve(config: Config, log: Log): Promise<number> {
  const stopAsked = signalReceived('SIGINT', 'SIGTERM');
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
