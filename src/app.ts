// The only wiring: config → database, jobs, rails, faces. What starts here stops here, in the opposite order.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { hasUsableKey } from './accounts/store-keys.ts';
import type { Chains } from './chains/chain.ts';
import { sandboxChains } from './chains/sandbox.ts';
import { chargeBatches } from './charges/create-batch.ts';
import { issueMethod } from './charges/issue.ts';
import { issueBatches } from './charges/issue-batch.ts';
import { configuredRates } from './charges/rate.ts';
import { reconcileCharge } from './charges/reconcile.ts';
import { carryOutRefund } from './charges/refund.ts';
import { retireMethod } from './charges/retire.ts';
import { chargeSweep } from './charges/sweep.ts';
import type { Config } from './config.ts';
import { deliverDue } from './events/deliver.ts';
import { startDelivering } from './events/delivering.ts';
import type { DeclaredRoute } from './http/auth.ts';
import { createServer } from './http/server.ts';
import { type Handlers, startQueue } from './jobs/queue.ts';
import { startSweeping } from './jobs/sweep.ts';
import { isBankingDay } from './lib/banking-days.ts';
import { civilDay } from './lib/civil-days.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { StartError } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import type { Mode } from './lib/mode.ts';
import type { Resolve } from './lib/outgoing-request.ts';
import { httpPrices } from './prices/http.ts';
import type { PriceSource } from './prices/price.ts';
import { tablePrices } from './prices/table.ts';
import { absentRail } from './rails/absent.ts';
import { pixKeyRail } from './rails/pix-key.ts';
import type { Rails } from './rails/rail.ts';
import { sandboxRails } from './rails/sandbox.ts';
import { startSealing } from './storage/audit-chain.ts';
import { asStartFault, connect } from './storage/connect.ts';
import type { Database, Sql } from './storage/database.ts';
import { startEmbeddedPostgres } from './storage/embedded/postgres.ts';
import { startFolding } from './storage/fold-counts.ts';
import { claimInstallation } from './storage/installation.ts';
import { migrate } from './storage/migrate.ts';
import { sharedClock } from './storage/shared-clock.ts';
import { insertDemo } from './transactions/demo.ts';
import { followOrder } from './transactions/follow.ts';
import { fulfillOrder } from './transactions/fulfill.ts';
import { sandboxChainMemory } from './transactions/store-sandbox-chain.ts';
import { orderSweep } from './transactions/sweep.ts';
import { version } from './version.ts';
import { chargePictureRoutes } from './web/charge-pictures.ts';
import { docsRoutes } from './web/docs.ts';
import { pageRoutes } from './web/pages.ts';

export type App = {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Where the data lives, in words for a person. */
  readonly dataPlace: string;
  /** Every route with what a caller must be allowed to do. */
  readonly routes: readonly DeclaredRoute[];
  /** Works off every job that is due, sends what webhooks are to hear, and returns when that is done. */
  runDueJobs(): Promise<number>;
  stop(): Promise<void>;
};

type Needs = {
  readonly log: Log;
  readonly clock?: Clock;
  readonly rails?: Rails;
  readonly chains?: Chains;
  readonly prices?: PriceSource;
  /** How names of webhooks are looked up; by DNS when absent. */
  readonly resolve?: Resolve;
  /** False: jobs wait for `runDueJobs`. */
  readonly work?: boolean;
};

/** How long requests in flight may go on once a stop was asked for. */
const DRAIN_LIMIT_MS = 10_000;
const SWEEP_INTERVAL_MS = 50;

export async function startApp(config: Config, needs: Needs): Promise<App> {
  const { log, clock: machineClock = systemClock, resolve, work = true } = needs;
  const rails = needs.rails ?? (config.mode === 'sandbox' ? sandboxRails : liveRails(config));
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const { connection, dataPlace } = await openConnection(config, log, stops);
    const db = await connect({ connection, log });
    stops.push(() => db.close());
    await migrate({ db, log });
    const clock = sharedClock(db, machineClock);
    await db.transaction(async tx => {
      const isFirstStart = await claimInstallation(tx, config.mode, clock.now());
      // Invented orders have no place among real ones.
      if (isFirstStart && config.demo && config.mode === 'sandbox') await insertDemo(tx);
    });

    if (config.mode === 'live') await requireUsableKey(db);

    const queue = await startQueue({ db, log });
    stops.push(() => queue.stop());
    const { mode, pageSize, walletWait, feePercent, settlement, rateLimit, maxInFlight } = config;
    const chains = needs.chains ?? chainsOf(mode, clock, db);
    const prices = needs.prices ?? pricesOf(config, log);
    const rates = configuredRates(config.rates, mode === 'sandbox' ? 'sandbox' : 'configured');
    const runDueJobs = () => queue.runDue(handlers);
    const sweeps = [chargeSweep({ db, queue }), orderSweep({ db, queue })];
    const batches = chargeBatches({ db, queue, clock, mode, log });
    stops.push(() => batches.stop());
    const issues = issueBatches({ db, queue, rails, clock, batches });
    const outside = { rails, chains, rates, prices, resolve };
    const settings = { mode, pageSize, walletWait, feePercent, settlement, version };
    const limits = { rateLimit, maxInFlight, machineClock };
    const deps = { db, queue, batches, issues, clock, log, sweeps, runDueJobs, ...outside, ...settings, ...limits };
    const handlers: Handlers = {
      'charge.issue': job => issueMethod(deps, job),
      'charge.retire': job => retireMethod(deps, job),
      'charge.reconcile': job => reconcileCharge(deps, job),
      'charge.refund': job => carryOutRefund(deps, job),
      'transaction.follow': job => followOrder(deps, job),
      'transaction.fulfill': job => fulfillOrder(deps, job),
    };
    const server = await createServer(deps);
    pageRoutes(server, deps);
    chargePictureRoutes(server, deps);
    await docsRoutes(server);
    if (work) {
      await queue.work(handlers);
      const sweeping = startSweeping(deps);
      stops.push(() => sweeping.stop());
      const sealing = startSealing(deps);
      stops.push(() => sealing.stop());
      const delivering = startDelivering(deps);
      stops.push(() => delivering.stop());
      const folding = startFolding(deps);
      stops.push(() => folding.stop());
    }
    // The banking calendar takes a moment to load; no request should wait for it.
    isBankingDay(civilDay(clock.now()));
    await listen(server, config);
    stops.push(() => drain(server));
    const runAllDue = async () => (await runDueJobs()) + (await deliverDue(deps));
    return { url: urlOf(server), dataPlace, routes: server.declaredRoutes, runDueJobs: runAllDue, stop };
  } catch (error) {
    await stop();
    throw asStartFault(error);
  }
}

/** Everybody is refused where there is no key, so such a start is a mistake. */
async function requireUsableKey(db: Sql): Promise<void> {
  if (await hasUsableKey(db)) return;
  throw new StartError(
    'TRILHO_MODE=live needs an API key: trilho accounts create <id>, then trilho keys create --account <id> --scopes all.',
  );
}

function pricesOf({ mode, prices, rates }: Config, log: Log): PriceSource {
  return mode === 'sandbox' ? tablePrices({ reais: prices.table, rates }) : httpPrices({ log }, prices);
}

/** In live no network has a chain yet, and so none takes orders. */
function chainsOf(mode: Mode, clock: Clock, db: Database): Chains {
  return mode === 'sandbox' ? sandboxChains({ clock, memory: sandboxChainMemory(db) }) : {};
}

/** Live rails as far as they are configured; a method without one is refused when it is asked for. */
export function liveRails({ pixKey }: Config): Rails {
  return { pix: pixKey ? pixKeyRail(pixKey) : absentRail('pix'), boleto: absentRail('boleto') };
}

async function openConnection(config: Config, log: Log, stops: (() => Promise<void>)[]) {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, dataPlace: 'the PostgreSQL of DATABASE_URL' };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  stops.push(() => embedded.stop());
  return { connection: embedded.connection, dataPlace: embedded.clusterDir };
}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} on ${host} is in use; set PORT to another.`);
    if (code === 'EACCES')
      throw new StartError(`Port ${port} on ${host} may not be used by this user; set PORT to another.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`HOST ${host} is not an address of this machine.`);
    throw error;
  }
}

async function drain(server: FastifyInstance): Promise<void> {
  const impatience = setTimeout(() => server.server.closeAllConnections(), DRAIN_LIMIT_MS);
  // A connection stays open after its answer, for the next request; now it need not.
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
  await server.close();
  clearInterval(sweep);
  clearTimeout(impatience);
}

function urlOf(server: FastifyInstance): string {
  const { address, port, family } = server.server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
