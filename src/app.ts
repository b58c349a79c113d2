// The only wiring: configuration → database, jobs, rails, chains, faces. `composeLive` and `composeSandbox` name what differs
// between the two; everything else is the same. What starts here stops here, in the opposite order.
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { hasPeople } from './accounts/people/store-people.ts';
import { pruneIdempotencyKeys } from './accounts/prune-keys.ts';
import { type AccountPolicy, openedAccounts } from './accounts/require.ts';
import { requireUsableKey } from './accounts/require-key.ts';
import type { Chains } from './chains/chain.ts';
import { guardedChains } from './chains/guarded.ts';
import { observedChains } from './chains/observed.ts';
import { openChains } from './chains/open-chains.ts';
import { rememberingChains } from './chains/remembered.ts';
import { exchangeDueFiles, startExchangingFiles } from './charges/bank-files/exchange-files.ts';
import { pruneBoletoFiles } from './charges/bank-files/prune-bytes.ts';
import { warnOfNumbers } from './charges/bank-files/warn-numbers.ts';
import { type ChargeRules, STRICT_CHARGE_RULES } from './charges/check.ts';
import { compareDueDays, startComparingDays } from './charges/compare-daily.ts';
import { startChargeBatches } from './charges/create-batch.ts';
import { startDecisionBatches } from './charges/decide.ts';
import { fillLocations, startFillingLocations } from './charges/fill-locations.ts';
import { CHARGE_JOBS, chargeJobs } from './charges/jobs.ts';
import { openLinks } from './charges/links.ts';
import { startNotificationBatches } from './charges/notifications.ts';
import { startPaymentBatches } from './charges/pay.ts';
import { pruneNotifications } from './charges/prune-notifications.ts';
import { configuredRates, type RateSource } from './charges/rate.ts';
import { requireRails } from './charges/require-rails.ts';
import { LINK_SECRETS } from './charges/store-links.ts';
import { chargeSweep } from './charges/sweep.ts';
import { lookAtRails, startWatchingRails } from './charges/watch-rails.ts';
import type { Config } from './config/config.ts';
import { shorterOf } from './config/retention-settings.ts';
import { version } from './config/version.ts';
import { openCursors } from './events/cursor.ts';
import { deliverDue } from './events/deliver.ts';
import { startDelivering } from './events/delivering.ts';
import { pruneDeliveries } from './events/prune-deliveries.ts';
import { pruneEvents } from './events/prune-events.ts';
import { certificatesOf } from './http/certificates.ts';
import { openReceiver, warnOfNoReceiver } from './http/open-receiver.ts';
import { STREAM_STALL_TIMEOUT_MS } from './http/routes/event-stream.ts';
import { metricsRoutes } from './http/routes/metrics.ts';
import { apiRoutes } from './http/routes/routes.ts';
import type { DeclaredRoute } from './http/server/auth.ts';
import { drainOf } from './http/server/connections.ts';
import { listen, portOf, urlOf } from './http/server/listen.ts';
import { createObservers } from './http/server/observers.ts';
import { openApiText } from './http/server/openapi.ts';
import { createServer } from './http/server/server.ts';
import { UNREAD_LIMIT_MS } from './http/server/unread-answers.ts';
import { pruneJobs } from './jobs/prune-jobs.ts';
import { hasNoJobs, type NewerJobs, startQueue } from './jobs/queue.ts';
import { startSweeping } from './jobs/sweep.ts';
import { type Clock, followingClock, systemClock } from './lib/clock.ts';
import { StartError } from './lib/errors.ts';
import { type Heartbeats, watchHeartbeats } from './lib/heartbeats.ts';
import type { Log } from './lib/log.ts';
import { startTracing } from './lib/opentelemetry.ts';
import { allowListOf } from './lib/outgoing-allow.ts';
import type { Resolve } from './lib/outgoing-request.ts';
import { slowStep } from './lib/slow-step.ts';
import { claimJobs } from './orders/claim.ts';
import { ORDER_JOBS } from './orders/claim-job.ts';
import { claimSweep } from './orders/claim-sweep.ts';
import { followJobs } from './orders/follow.ts';
import { payoutOwners } from './orders/payout-owners.ts';
import { pruneQuotes } from './orders/prune-quotes.ts';
import { findOpenObjects } from './orders/store-open.ts';
import { orderSweep } from './orders/sweep.ts';
import { warnOfNetworks } from './orders/warn-networks.ts';
import { startWatchingPayouts, watchPayouts } from './orders/watch-payouts.ts';
import { payoutJobs } from './payouts/advance.ts';
import { OPERATOR_ACCOUNT, openColdAddresses } from './payouts/cold-sweep.ts';
import { warnOfDefaultLimits } from './payouts/default-limits.ts';
import { PAYOUT_JOBS } from './payouts/jobs.ts';
import { openAlarmRules } from './payouts/judge-network.ts';
import { assetsOnDefaults, openLimits } from './payouts/limits.ts';
import { openReceiptKey } from './payouts/open-receipt-key.ts';
import { SECRET_STORES } from './payouts/secret-stores.ts';
import { payoutSweep } from './payouts/sweep.ts';
import { httpPrices } from './prices/http.ts';
import type { PriceSource } from './prices/price.ts';
import { openOrderTerms } from './quotes/order-terms.ts';
import { isAbsent } from './rails/absent.ts';
import { liveRails } from './rails/live-rails.ts';
import { observedRails } from './rails/observed.ts';
import type { Rails } from './rails/rails.ts';
import { sandboxAccounts } from './sandbox/accounts.ts';
import { customersOf, sandboxRailsWith } from './sandbox/agreements.ts';
import { sandboxChains } from './sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from './sandbox/chains/store.ts';
import { requireTestNodes } from './sandbox/chains/test-nodes.ts';
import { sandboxClock } from './sandbox/clock/sandbox-clock.ts';
import { insertDemo } from './sandbox/demo.ts';
import { tablePrices } from './sandbox/prices.ts';
import { type SandboxRouteDeps, sandboxRoutes } from './sandbox/routes/routes.ts';
import { SANDBOX_CHARGE_RULES } from './sandbox/rules.ts';
import { pruneAudit } from './storage/archive/prune-audit.ts';
import { pruneRows } from './storage/archive/prune-rows.ts';
import { startSealing } from './storage/audit-chain.ts';
import { asStartFault, connect } from './storage/connect.ts';
import type { Database, Sql } from './storage/database.ts';
import { type DatabaseClock, startDatabaseClock } from './storage/database-clock.ts';
import { claimInstallation } from './storage/installation.ts';
import { startMergingCounts } from './storage/merge-counts.ts';
import { migrate } from './storage/migrate.ts';
import { pruneTraces } from './storage/object-traces.ts';
import { openServer } from './storage/open-server.ts';
import { type Prune, pruneDue, startPruning } from './storage/pruning.ts';
import { noReplica, startReplica } from './storage/replica.ts';
import { NEEDS_OWN_SERVER } from './storage/replica-check.ts';
import { NO_MASTER_KEY, NOT_RESEALED, requireMasterKeys, sealPlain, sealsSecrets } from './storage/sealed-secrets.ts';
import { secretBox as openSecretBox } from './storage/secret-box.ts';
import { openScreening } from './wallets/screening.ts';
import { assetRoutes } from './web/assets.ts';
import { chargePictureRoutes } from './web/charge-pictures.ts';
import { checkoutRoutes } from './web/checkout/routes.ts';
import { dashboardRoutes } from './web/dashboard/dashboard.ts';
import { docsRoutes } from './web/docs.ts';
import { pageRoutes } from './web/pages.ts';

export type App = {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Where people log in; the name that links, passkeys and cookies need. */
  readonly dashboardUrl: string;
  /** False: no person was invited yet, so in live the dashboard cannot be used. */
  readonly hasPeople: boolean;
  /** Where banks send notifications, if they may. */
  readonly receiverUrl?: string;
  /** Where the data lives, in words for a person. */
  readonly dataPlace: string;
  /** Every route with what a caller must be allowed to do. */
  readonly routes: readonly DeclaredRoute[];
  /** What `/openapi.json` answers. */
  openApiText(): string;
  /** Runs every job that is due, sends due webhook deliveries, and returns when that is done. */
  runDueJobs(): Promise<number>;
  /** Removes, and archives, what is past its retention. */
  removeOldRows(): Promise<void>;
  stop(): Promise<void>;
};

/** What a test or a benchmark puts in the place of the real thing. */
export type Overrides = {
  readonly clock?: Clock;
  /** By what the heartbeats of loops go. */
  readonly uptimeMs?: () => number;
  readonly rails?: Rails;
  readonly chains?: Chains;
  readonly prices?: PriceSource;
  /** How names of webhooks are looked up; by DNS when absent. */
  readonly resolve?: Resolve;
  /** How long a reader of a stream may take nothing. */
  readonly streamStallTimeoutMs?: number;
  /** How long a connection may take nothing of what waits to be sent to it. */
  readonly unreadLimitMs?: number;
  /** How long a move of the sandbox's clock waits for those before it. */
  readonly turnLimitMs?: number;
  /** False: jobs wait for `runDueJobs`. */
  readonly work?: boolean;
};

type Stops = (() => Promise<void>)[];

/** What differs between live and sandbox. */
type Composition = {
  readonly clock: Clock;
  /** Runs before a request is handled, jobs are run or a loop goes on. */
  readonly beforeWork?: () => Promise<void>;
  readonly rails: Rails;
  readonly chains: Chains;
  readonly prices: PriceSource;
  readonly rates: RateSource;
  readonly accounts: AccountPolicy;
  readonly chargeRules: ChargeRules;
  readonly requiresKeys: boolean;
  /** Whether webhooks may lie on this machine, and be reached by plain http. */
  readonly allowsLocal: boolean;
  /** Routes beside those of the API. */
  routes?(
    server: FastifyInstance,
    deps: Omit<SandboxRouteDeps, 'clock' | 'chainStore' | 'testNetworks' | 'customers'>,
  ): void;
};

type ComposeDeps = {
  readonly db: Database;
  readonly log: Log;
  /** The time of the database's machine, which all nodes share. */
  readonly databaseClock: Clock;
  /** The chains of the settings. */
  readonly opened: Chains;
  readonly overrides: Overrides;
  readonly stops: Stops;
};

/** Real rails and chains, the time of the database's machine, and API keys. */
async function composeLive(
  config: Config,
  { db, log, databaseClock, opened, overrides, stops }: ComposeDeps,
): Promise<Composition> {
  await requireUsableKey(db, databaseClock.now());
  const live = overrides.rails
    ? { rails: overrides.rails, stop: () => {} }
    : liveRails(config, { clock: databaseClock, log });
  const { rails } = live;
  stops.push(async () => live.stop());
  const chains = overrides.chains ?? opened;
  const hasPrices = overrides.prices !== undefined || config.prices.sources.length > 0;
  warnOfMissing({ rails, chains, hasPrices }, log);
  warnOfNoReceiver(config, log);
  return {
    clock: databaseClock,
    rails,
    chains,
    prices: overrides.prices ?? httpPrices({ log }, config.prices),
    rates: configuredRates(config.rates, 'configured'),
    accounts: openedAccounts,
    chargeRules: STRICT_CHARGE_RULES,
    requiresKeys: true,
    allowsLocal: false,
  };
}

type Outside = { readonly rails: Rails; readonly chains: Chains; readonly hasPrices: boolean };

/** A live service without them starts and refuses what needs them; the log says so before the first caller does. */
function warnOfMissing({ rails, chains, hasPrices }: Outside, log: Log): void {
  if (isAbsent(rails.pix) && isAbsent(rails.boleto)) {
    log.warn(
      'there is no rail: every charge is refused until rails or boletos in TRILHO_CONFIG, or TRILHO_PIX_KEY, are set',
    );
  }
  if (!hasPrices) log.warn('there is no price source: every quote is refused until TRILHO_PRICE_SOURCES is set');
  if (Object.keys(chains).length === 0) {
    log.warn('there is no chain: every order is refused until chains in TRILHO_CONFIG are set');
  }
}

/** A simulated bank and simulated chains, a clock that can be moved, and no credentials. Test nodes may stand for networks. */
async function composeSandbox(
  config: Config,
  { db, log, databaseClock, opened, overrides }: ComposeDeps,
): Promise<Composition> {
  const clock = sandboxClock(db, databaseClock);
  const chainStore = sandboxChainStore(db);
  const simulated = sandboxChains({ clock, store: chainStore });
  return {
    clock,
    beforeWork: clock.refresh,
    rails: overrides.rails ?? sandboxRailsWith(config.boletos, { clock, log }),
    chains: overrides.chains ?? { ...simulated, ...opened },
    prices: overrides.prices ?? tablePrices({ reais: config.prices.table, rates: config.rates }),
    rates: configuredRates(config.rates, 'sandbox'),
    accounts: sandboxAccounts,
    chargeRules: SANDBOX_CHARGE_RULES,
    requiresKeys: false,
    allowsLocal: true,
    routes: (server, deps) =>
      sandboxRoutes(server, {
        ...deps,
        clock,
        chainStore,
        testNetworks: Object.keys(opened),
        customers: customersOf(config.boletos),
      }),
  };
}

export async function startApp(config: Config, log: Log, overrides: Overrides = {}): Promise<App> {
  const payoutLimits = openLimits(config.payouts.limits ?? [], config.mode);
  const orderTerms = openOrderTerms(config.payouts.limits ?? []);
  const alarmRules = openAlarmRules(config.payouts);
  const { accountId: operatorAccountId = OPERATOR_ACCOUNT } = config.payouts;
  const stops: Stops = [];
  const stop = async () => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    // Before the database: what is wrong with the settings is said while nothing was made or changed.
    if (config.mode === 'sandbox') requireTestNodes(config.chains);
    if (config.replica && config.databaseUrl === undefined) throw new StartError(NEEDS_OWN_SERVER);
    const heartbeats = watchHeartbeats(overrides.uptimeMs ?? (() => performance.now()));
    const chainClock = followingClock(overrides.clock ?? systemClock);
    const opened = overrides.chains ? {} : await openChains(config, log, chainClock);
    const {
      connection,
      place,
      stop: stopServer,
    } = await slowStep(log, 'waiting for the embedded database', () => openServer(config, { log, heartbeats }));
    stops.push(stopServer);
    const db = await slowStep(log, 'connecting to the database', () => connect({ connection, log }));
    stops.push(() => db.close());
    await slowStep(log, 'bringing the schema up to date', () => migrate({ db, log }));
    const machineClock = overrides.clock ?? systemClock;
    const databaseClock = await openDatabaseClock({ db, log, heartbeats }, overrides, stops);
    await install(config, db, databaseClock);
    const compose = config.mode === 'sandbox' ? composeSandbox : composeLive;
    const { routes, ...composed } = await compose(config, { db, log, databaseClock, opened, overrides, stops });
    chainClock.follow(composed.clock);
    await requireRails(db, composed.rails, composed.clock.now());
    await warnOfNumbers({ db, rails: composed.rails, log });
    await warnOfNetworks({ db, chains: composed.chains, log });
    if (config.mode === 'live')
      warnOfDefaultLimits(
        log,
        assetsOnDefaults(
          config.payouts.limits ?? [],
          Object.values(composed.chains).map(({ network }) => network),
        ),
      );
    const secretBox = openSecretBox(config.masterKeys);
    await requireMasterKeys(db, SECRET_STORES, secretBox);
    // A migration has made it.
    const isSealing = await sealsSecrets(db);
    if (isSealing) await sealPlain(db, LINK_SECRETS, secretBox);
    if (config.mode === 'live' && secretBox.keyId === undefined) log.warn(NO_MASTER_KEY);
    if (secretBox.keyId !== undefined && !isSealing) log.warn(NOT_RESEALED);
    const registry = new Registry();
    const observers = createObservers(registry);
    const tracing =
      config.tracing && (await startTracing({ log, version, mode: config.mode, ...observers }, config.tracing));
    // Stopped after everything that makes spans.
    if (tracing) stops.push(() => tracing.stop());
    const readDeps = { db, log, heartbeats, ...observers };
    const replica = config.replica ? await startReplica(readDeps, config.replica) : noReplica({ db });
    stops.push(() => replica.stop());
    const composition = {
      ...composed,
      rails: observedRails(composed.rails, observers.observeRailCall),
      chains: rememberingChains(
        guardedChains(observedChains(composed.chains, observers.observeChainCall), composed.clock),
        composed.clock,
      ),
    };

    const coldAddresses = openColdAddresses(config.payouts.coldAddresses, composition.chains);
    const receiptKey = await openReceiptKey({ db, clock: databaseClock, secretBox }, config.payouts.receipts?.keyFile);
    const { beforeWork } = composition;
    const kinds = [...CHARGE_JOBS, ...PAYOUT_JOBS, ...ORDER_JOBS];
    const queue = await slowStep(log, 'preparing the job queue', () =>
      startQueue({ db, log, heartbeats, tracing, kinds, beforeWork }),
    );
    const cursors = await openCursors(db);
    /** With PORT=0 the port is known once the service listens. */
    let { port } = config;
    const publicUrl = () => config.publicUrl ?? `http://localhost:${port}`;
    const links = await openLinks(db, publicUrl, secretBox);
    const base = {
      ...composition,
      ...observers,
      db,
      replica,
      log,
      tracing,
      queue,
      cursors,
      links,
      heartbeats,
      secretBox,
    };
    const chargeBatches = startChargeBatches(base);
    stops.push(() => chargeBatches.stop());
    const decisionBatches = startDecisionBatches(base);
    stops.push(() => decisionBatches.stop());
    const paymentBatches = startPaymentBatches(base);
    stops.push(() => paymentBatches.stop());
    const notificationBatches = startNotificationBatches(base);
    stops.push(() => notificationBatches.stop());
    // Stopped before the batches: jobs in progress still add to them.
    stops.push(() => queue.stop());
    const screening = await openScreening(base, config.screening);
    const prunes = prunesOf(config, composition.clock);
    // The counters are there from the start.
    for (const { kind } of prunes) observers.observePruned({ kind, count: 0 });
    const sweeps = [chargeSweep(base), orderSweep(base), payoutSweep(base), claimSweep(base)];
    const { mode, pageSize, walletWait, feePercent, settlement, rateLimit, maxInFlight, addressLimit } = config;
    const { webhookConcurrency, bankWaitMs, walletPolicy } = config;
    const settings = { mode, pageSize, walletWait, feePercent, settlement, webhookConcurrency, bankWaitMs, version };
    const limits = { rateLimit, maxInFlight, addressLimit, machineClock };
    const outgoing = { allowed: allowListOf(config.webhookAllow), resolve: overrides.resolve };
    const streamStallTimeoutMs = overrides.streamStallTimeoutMs ?? STREAM_STALL_TIMEOUT_MS;
    const unreadLimitMs = overrides.unreadLimitMs ?? UNREAD_LIMIT_MS;
    const batches = { chargeBatches, decisionBatches, paymentBatches, notificationBatches };
    const deps = {
      ...base,
      ...settings,
      ...limits,
      ...batches,
      walletPolicy,
      screening,
      payoutLimits,
      orderTerms,
      alarmRules,
      operatorAccountId,
      coldAddresses,
      receiptKey,
      payoutOwner: payoutOwners(base),
      unsignedSlots: config.payouts.unsignedSlots,
      sweeps,
      prunes,
      ...outgoing,
      streamStallTimeoutMs,
      turnLimitMs: overrides.turnLimitMs,
    };
    const handlers = [...chargeJobs(deps), ...followJobs(deps), ...claimJobs(deps), ...payoutJobs(deps)];
    const runDueJobs = (except?: NewerJobs) => queue.runDue(handlers, except);

    const server: FastifyInstance = await createServer({
      ...deps,
      publicUrl,
      unreadLimitMs,
      trustProxy: config.trustProxy,
    });
    const { supportRefundLimitCents, passkeyRefundCents } = config;
    apiRoutes(server, { ...deps, databaseClock, publicUrl, supportRefundLimitCents, passkeyRefundCents });
    const certificates = certificatesOf(deps.rails, config.receiver);
    metricsRoutes(server, { ...deps, registry, certificates });
    const names = kinds.map(({ name }) => name);
    routes?.(server, { ...deps, runDueJobs, hasNoJobs: (tx: Sql, except: NewerJobs) => hasNoJobs(tx, names, except) });
    const pages = { ...deps, assets: assetRoutes(server), publicUrl };
    pageRoutes(server, pages);
    checkoutRoutes(server, pages);
    dashboardRoutes(server, { ...pages, databaseClock, certificates });
    chargePictureRoutes(server, deps);
    docsRoutes(server);
    if (overrides.work ?? true) {
      queue.work(handlers);
      const ofRails = [startWatchingRails, startComparingDays, startFillingLocations, startExchangingFiles];
      const starts = [
        startSweeping,
        ...ofRails,
        startWatchingPayouts,
        startSealing,
        startDelivering,
        startMergingCounts,
        startPruning,
      ];
      const loops = starts.map(start => start(deps));
      // All at once: each may have to wait for a database that does not answer.
      stops.push(async () => {
        await Promise.all(loops.map(loop => loop.stop()));
      });
    }
    const receiver = config.receiver && (await openReceiver(deps, config, config.receiver));
    if (receiver) stops.push(() => receiver.stop());
    const drain = drainOf(server.server, () => server.close());
    await listen(server, config);
    port = portOf(server);
    stops.push(drain);
    const runAllDue = async () => {
      await beforeWork?.();
      const filled = await fillLocations(deps);
      const looked = (await lookAtRails(deps)) + (await runDueJobs()) + (await deliverDue(deps));
      const exchanged = await exchangeDueFiles(deps);
      const watched = (await compareDueDays(deps)) + (await watchPayouts(deps));
      return filled + looked + exchanged + watched;
    };
    return {
      url: urlOf(server),
      dashboardUrl: `${publicUrl()}/dashboard`,
      hasPeople: await hasPeople(db),
      ...(receiver && { receiverUrl: receiver.url }),
      dataPlace: place,
      routes: server.declaredRoutes,
      openApiText: () => openApiText(server),
      runDueJobs: runAllDue,
      removeOldRows: async () => {
        await pruneDue(deps);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw asStartFault(error);
  }
}

/** Marks a new database as this mode's, and refuses one of the other. */
async function install(config: Config, db: Database, clock: Clock): Promise<void> {
  await db.transaction(async tx => {
    const isFirstStart = await claimInstallation(tx, {
      mode: config.mode,
      at: clock.now(),
      sealsSecrets: config.masterKeys.length > 0,
    });
    // Invented orders have no place among real ones.
    if (isFirstStart && config.demo && config.mode === 'sandbox') await insertDemo(tx);
  });
}

/** What is removed in time; records stay where there is no archive. */
function prunesOf({ retention, archiveDir: dir }: Config, clock: Clock): Prune[] {
  const { events, audit, deliveries, quotes, idempotencyKeys, notifications, boletoFiles, jobs, traces } = retention;
  const findOpen = findOpenObjects;
  const records = dir === undefined ? [] : [pruneEvents({ dir, findOpen }, events), pruneAudit({ clock, dir }, audit)];
  // An event that has deliveries stays, so these are kept for as long as events at most.
  const keepDeliveries = dir === undefined ? deliveries : shorterOf(deliveries, events);
  const rows = [
    pruneIdempotencyKeys(idempotencyKeys),
    pruneQuotes(quotes),
    pruneDeliveries(keepDeliveries),
    pruneTraces(traces),
    pruneJobs(jobs),
  ];
  const others = [pruneNotifications(notifications), pruneBoletoFiles({ clock }, boletoFiles)];
  return [...rows.map(prune => pruneRows(prune, dir)), ...others, ...records];
}

type ClockDeps = { readonly db: Database; readonly log: Log; readonly heartbeats: Heartbeats };

async function openDatabaseClock(deps: ClockDeps, { clock }: Overrides, stops: Stops): Promise<DatabaseClock> {
  if (clock) return { ...clock, offsetMs: () => 0, stop: async () => {} };
  const databaseClock = await startDatabaseClock({ ...deps, machineClock: systemClock });
  stops.push(() => databaseClock.stop());
  return databaseClock;
}
