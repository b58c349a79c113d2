// How near creating charges comes to what the database allows: the statements of the service, sent by the driver alone on as
// many connections.
import { createCallers } from '../callers.ts';
import { type ChargeRequests, chargeRequests } from '../charge-requests.ts';
import { withClient } from '../database-server.ts';
import { addDriverShare } from '../driver-share.ts';
import { formatPercent } from '../figures.ts';
import { get, type LoadResult, runLoad } from '../http-load.ts';
import { createMigrated } from '../orders.ts';
import { startProcessorMeter } from '../processor-time.ts';
import type { RunningProgram } from '../programs.ts';
import { countUnits, describeCounts, NO_UNITS, recordLoad } from '../recording.ts';
import { openReplay } from '../replay.ts';
import { startTrilho } from '../trilho.ts';
import { countRegistered, waitForWorkers } from '../wait-for-workers.ts';
import type { PartDeps } from './part.ts';

const MIN_SHARE = 0.5;
const LOAD_LIMIT_SECONDS = 300;
const FIRST_REQUEST = get('/livez');
/** Node optimises the service's code over the first tens of thousands of charges, which saves a third of the time. */
const WARM_UP_CHARGES = 40_000;
const BASE = 'charges_base';
const SERVICE = 'charges_service';
const DRIVER = 'charges_driver';

/** With workers, as users run the service, and without, so that creating is measured alone. */
const RUNS = [
  { workers: true, name: 'with workers' },
  { workers: false, name: 'without workers' },
] as const;
type Run = (typeof RUNS)[number];

export async function measureCharges(deps: PartDeps): Promise<void> {
  const { server, report } = deps;
  report.progress('charges beside their own statements');
  const charges = await createBase(deps);
  for (const run of RUNS) await measureRun(deps, run, charges);
  await server.drop(BASE);
  report.note(
    'limit, charges: a ratio is the median over the rounds. The times of the driver are those of transactions, each of which serves many requests.',
  );
}

/** All sides start on a copy of tables that hold charges: PostgreSQL plans badly for tables that it knows as empty. */
async function createBase({ server, options }: PartDeps): Promise<ChargeRequests> {
  const { mode, chargeConnections: connections } = options;
  await createMigrated(server, BASE);
  const url = server.url(BASE);
  const charges = chargeRequests(mode, await createCallers(url, mode));
  const service = await startTrilho(server, BASE, { mode });
  try {
    await runLoad({
      url: service.url,
      connections,
      request: charges.nextRequest,
      seconds: LOAD_LIMIT_SECONDS,
      requests: options.charges,
    });
    await waitForWorkers(url);
  } finally {
    await service.stop();
  }
  await withClient(url, client => client.query('vacuum analyze'));
  return charges;
}

/** Service and driver have a database each and take rounds of a few seconds in turn, so that both have the same conditions. */
async function measureRun(deps: PartDeps, { workers, name }: Run, charges: ChargeRequests): Promise<void> {
  const { server, report, options } = deps;
  const { mode, chargeConnections: connections, charges: requests, chargeRounds } = options;
  const progress = (text: string) => report.progress(`charges, ${name}: ${text}`);
  const { url: urlOf } = server;
  const drive = ({ url }: RunningProgram, count = requests) => {
    const request = charges.nextRequest;
    const load = { url, connections, request, firstRequest: FIRST_REQUEST, requests: count };
    return runLoad({ ...load, seconds: LOAD_LIMIT_SECONDS });
  };
  const settle = async () => (workers ? waitForWorkers(urlOf(SERVICE)) : undefined);
  const warmUp = async (service: RunningProgram) => {
    await drive(service, Math.min(WARM_UP_CHARGES, 4 * requests));
    await settle();
    await server.checkpoint();
  };

  progress('recording the statements of the service');
  await server.create(SERVICE, BASE);
  const recording = await recordLoad(server, SERVICE, {
    mode,
    workers,
    rounds: chargeRounds,
    warmUp,
    run: async service => (await drive(service)).count,
    settle,
  });

  await server.create(SERVICE, BASE);
  await server.create(DRIVER, BASE);
  const service = await startTrilho(server, SERVICE, { mode, workers });
  const replay = await openReplay(urlOf(DRIVER), recording);
  const [serviceRounds, driverRounds]: [LoadResult[], LoadResult[]] = [[], []];
  const registered = { service: 0, driver: 0 };
  let counts = NO_UNITS;
  try {
    progress('warming the service up');
    await warmUp(service);
    for (const { during, after, requests: count } of recording.rounds()) {
      registered.service -= await countRegistered(urlOf(SERVICE));
      await server.waitForAutovacuum();
      const meter = startProcessorMeter(service.pid, server.postmasterPid());
      const own = await drive(service);
      serviceRounds.push(own);
      registered.service += await countRegistered(urlOf(SERVICE));
      await settle();
      const used = meter.perRequest(own.count);

      registered.driver -= await countRegistered(urlOf(DRIVER));
      await server.waitForAutovacuum();
      // The recording contains what the service does without requests; a running service would do it a second time.
      service.signal('SIGSTOP');
      const limit = await replay.run(during, count);
      service.signal('SIGCONT');
      driverRounds.push(limit);
      registered.driver += await countRegistered(urlOf(DRIVER));
      await replay.run(after, 0);
      const share = formatPercent(own.rate / limit.rate);
      progress(`round ${driverRounds.length} of ${chargeRounds}: ${share} of the limit; ${used}, workers included`);
      counts = countUnits(during, counts);
    }
  } finally {
    // A stopped process does not react to SIGTERM.
    service.signal('SIGCONT');
    await Promise.all([service.stop(), replay.close()]);
  }
  await server.drop(SERVICE);
  await server.drop(DRIVER);

  const measured = `POST /charges, ${connections} connections, ${name}`;
  addDriverShare(report, {
    part: 'charges',
    measured,
    service: serviceRounds,
    driver: driverRounds,
    minShare: MIN_SHARE,
  });
  const all = requests * chargeRounds;
  report.note(`${name}: per charge ${describeCounts(counts, all)}; ${recording.connections} connections.`);
  if (!workers) return;
  const [own, replayed] = [registered.service, registered.driver].map(count => formatPercent(count / all));
  report.note(
    `${name}: registered before the last charge of a round: ${own} by the service, ${replayed} by the driver.`,
  );
}
