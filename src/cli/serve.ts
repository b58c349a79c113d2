// trilho serve: starts the service, prints its address, and stops it on a signal.
import { startApp } from '../app.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import { curlExamples } from '../web/curl.ts';
import { stopAsked } from './stop-asked.ts';

/** How long an orderly start or stop may take once a stop was requested. */
const EXIT_LIMIT_MS = 45_000;
const INTERRUPTED = 1;

export async function serve(config: Config, log: Log): Promise<number> {
  const stopping = stopAsked();
  stopping.then(exitInTime);
  const app = await startApp(config, log);
  log.info(`the database is ${app.dataPlace}`);
  log.info(`listening on ${app.url}`);
  const { list, charge } = curlExamples(app.url, systemClock, config.mode);
  // A pix key is no secret: every pix code shows it. Here a person can check it before anyone pays.
  const pixKey = config.pixKey ? `\n  Pix key       ${config.pixKey.key} (${config.pixKey.kind})` : '';
  const isClosed = config.mode === 'live' && !app.hasPeople;
  const invitation = isClosed
    ? '\n                No one can log in yet: npx trilho people invite --role owner --name <name>'
    : '';
  if (isClosed)
    log.warn('no one can log in to the dashboard yet: trilho people invite --role owner makes the first link');
  console.log(`
  Trilho ${version} (${config.mode}) listens on ${app.url}
  Dashboard     ${app.dashboardUrl}${invitation}
  Reference     ${app.url}/docs/
  Data          ${app.dataPlace}${pixKey}

  List crypto transactions:
  ${list}

  Create a charge:
  ${charge}
`);
  await stopping;
  console.log('  Stopping.');
  log.info('stopping');
  await app.stop();
  log.info('stopped');
  return 0;
}

/** Ends the process even if a start or a stop hangs. */
function exitInTime(): void {
  setTimeout(() => process.exit(INTERRUPTED), EXIT_LIMIT_MS).unref();
}
