// The only wiring: configuration → database, queue, modules, faces. `composeLive` and `composeSandbox` name what differs between the
// modes. What starts here stops here, in the opposite order.
import { accountsModule } from './accounts/module.ts';
import { hasPeople } from './accounts/people/store-people.ts';
import { backgroundWork } from './app/background-work.ts';
import { checkStart } from './app/check-start.ts';
import { composeLive } from './app/live.ts';
import { openCore } from './app/open-core.ts';
import { openFaces } from './app/open-faces.ts';
import { openStorage } from './app/open-storage.ts';
import type { Overrides } from './app/overrides.ts';
import { composeSandbox } from './app/sandbox.ts';
import { collectStops } from './app/stops.ts';
import { customersModule } from './billing/customers/module.ts';
import { instalmentsModule } from './billing/instalments/module.ts';
import { mandatesModule } from './billing/mandates/module.ts';
import { plansModule } from './billing/plans/module.ts';
import { remindersModule } from './billing/reminders/module.ts';
import { subscriptionsModule } from './billing/subscriptions/module.ts';
import { openChains } from './chains/open-chains.ts';
import { startChargeWriters } from './charges/create/writers.ts';
import { disputesModule } from './charges/disputes/module.ts';
import { chargesModule } from './charges/module.ts';
import type { Config } from './config/config.ts';
import { eventsModule } from './events/module.ts';
import { openReceiver } from './http/open-receiver.ts';
import { STREAM_STALL_TIMEOUT_MS } from './http/routes/event-stream.ts';
import type { DeclaredRoute } from './http/server/auth.ts';
import { drainOf } from './http/server/connections.ts';
import { listen, portOf, urlOf } from './http/server/listen.ts';
import { openApiText } from './http/server/openapi.ts';
import { ledgerModule } from './ledger/module.ts';
import { followingClock, systemClock } from './lib/clock.ts';
import { StartError } from './lib/errors.ts';
import type { Log } from './lib/log.ts';
import { allowListOf } from './lib/outgoing-allow.ts';
import type { Module } from './module.ts';
import { ordersModule } from './orders/module.ts';
import { ordersAsOwners } from './orders/payout-owner.ts';
import { payoutsModule } from './payouts/module.ts';
import { openColdAddresses } from './payouts/own-transfers/cold-rules.ts';
import { openPayoutPolicy } from './payouts/policy/policy.ts';
import { openReceiptKey } from './payouts/receipts/open-receipt-key.ts';
import { quotesModule } from './quotes/module.ts';
import { openOrderTerms } from './quotes/order-terms.ts';
import { calledEntries } from './rails/entries.ts';
import { requireTestNodes } from './sandbox/chains/test-nodes.ts';
import { asStartFault } from './storage/connect.ts';
import { storageModule } from './storage/module.ts';
import { NEEDS_OWN_SERVER } from './storage/replica-check.ts';
import { walletsModule } from './wallets/module.ts';
import { openScreening } from './wallets/screening.ts';

export type App = {
  /** The address it listens on, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The address where people log in, which links, passkeys and cookies need. */
  readonly dashboardUrl: string;
  /** False: no person was invited yet, so in live the dashboard cannot be used. */
  readonly hasPeople: boolean;
  /** Where banks send notifications, if they may. */
  readonly receiverUrl?: string;
  /** Where the data is stored, as text for a person. */
  readonly dataPlace: string;
  /** Every route with what a caller must be allowed to do. */
  readonly routes: readonly DeclaredRoute[];
  /** The document at `/openapi.json`. */
  openApiText(): string;
  /** Runs every job that is due, sends due webhook deliveries, and returns when that is done. */
  runDueJobs(): Promise<number>;
  /** Removes or archives data past its retention. */
  removeOldRows(): Promise<void>;
  stop(): Promise<void>;
};

export async function startApp(config: Config, log: Log, overrides: Overrides = {}): Promise<App> {
  // Before the database: a fault in the settings is reported before anything is made or changed.
  const policy = openPayoutPolicy(config);
  const orderTerms = openOrderTerms(config.payouts.limits ?? []);
  if (config.mode === 'sandbox') requireTestNodes(config.chains);
  if (config.replica && config.databaseUrl === undefined) throw new StartError(NEEDS_OWN_SERVER);
  const stops = collectStops();
  try {
    const chainClock = followingClock(overrides.clock ?? systemClock);
    const opened = overrides.chains ? {} : await openChains(config, log, chainClock);
    const storage = await openStorage(config, log, overrides, stops);
    const { db, databaseClock } = storage;
    const compose = config.mode === 'sandbox' ? composeSandbox : composeLive;
    const { routes: ofMode, ...composed } = await compose(config, { db, log, databaseClock, opened, overrides, stops });
    chainClock.follow(composed.clock);
    await checkStart({ ...composed, db, log }, policy);

    /** With PORT=0 the port is known once the service listens. */
    let { port } = config;
    const publicUrl = () => config.publicUrl ?? `http://localhost:${port}`;
    const core = await openCore(config, composed, { ...storage, log, stops, publicUrl });
    const { queue } = core;
    const { writers, stop: stopWriters } = startChargeWriters(core);
    stops.add(stopWriters);
    // Stopped before the writers: jobs in progress still add to them.
    stops.add(() => queue.stop());

    const coldAddresses = openColdAddresses(config.payouts.coldAddresses, core.chains);
    const receiptKey = await openReceiptKey({ ...core, clock: databaseClock }, config.payouts.receipts?.keyFile);
    const screening = await openScreening(core, config.screening);
    const { walletWait, walletPolicy, feePercent, settlement, bankWaitMs, webhookConcurrency } = config;
    const { supportRefundLimitCents, passkeyRefundCents } = config;
    const outgoing = { allowed: allowListOf(config.webhookAllow), resolve: overrides.resolve, webhookConcurrency };
    const { streamStallTimeoutMs = STREAM_STALL_TIMEOUT_MS } = overrides;
    const charging = { ...core, ...writers, bankWaitMs };
    const buying = { ...core, ...policy, walletPolicy, screening, feePercent, orderTerms, settlement };
    const payoutOwner = ordersAsOwners({ ...core, ...policy, settlement });
    const paying = { ...charging, ...policy, walletPolicy, screening };
    // From left to right, in the order of the rooms: each knows those before it.
    const modules: readonly Module[] = [
      storageModule(core, config),
      accountsModule(core, config),
      eventsModule({ ...core, ...outgoing, streamStallTimeoutMs }, config),
      ledgerModule(core),
      chargesModule({ ...charging, supportRefundLimitCents, passkeyRefundCents }, config),
      disputesModule(core),
      walletsModule({ ...core, ...policy, walletWait, screening }),
      quotesModule({ ...core, feePercent, orderTerms }),
      payoutsModule({ ...paying, coldAddresses, receiptKey, payoutOwner }),
      ordersModule({ ...paying, feePercent, orderTerms, settlement }, config),
      customersModule(core),
      instalmentsModule({ ...core, supportRefundLimitCents, passkeyRefundCents }),
      mandatesModule(charging),
      plansModule(core),
      subscriptionsModule(buying),
      remindersModule(core, config),
    ];

    const work = backgroundWork(core, modules);
    const { sweeps, prunes, runDueJobs, hasNoJobs } = work;
    const server = await openFaces({ ...core, prunes }, config, modules, overrides, app =>
      ofMode?.(app, { ...charging, sweeps, runDueJobs, hasNoJobs, turnLimitMs: overrides.turnLimitMs }),
    );
    if (overrides.work ?? true) stops.add(work.start().stop);
    const receiver =
      config.receiver && (await openReceiver(charging, calledEntries(config, overrides.railKinds), config.receiver));
    if (receiver) stops.add(() => receiver.stop());
    const drain = drainOf(server.server, () => server.close());
    await listen(server, config);
    port = portOf(server);
    stops.add(drain);
    return {
      url: urlOf(server),
      dashboardUrl: `${publicUrl()}/dashboard`,
      hasPeople: await hasPeople(db),
      ...(receiver && { receiverUrl: receiver.url }),
      dataPlace: storage.place,
      routes: server.declaredRoutes,
      openApiText: () => openApiText(server),
      runDueJobs: work.runDue,
      removeOldRows: work.removeOldRows,
      stop: stops.run,
    };
  } catch (error) {
    await stops.run();
    throw asStartFault(error);
  }
}
