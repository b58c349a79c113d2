// /metrics, for a Prometheus server. It answers even when the database does not, since it is needed most then. Its database queries are
// bounded, so that a scrape costs the same at any size.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Gauge, Registry } from 'prom-client';
import { countRefusedCycles, countUnorderedCycles } from '../../billing/subscriptions/store-refused.ts';
import { NETWORKS, type Network } from '../../chains/asset.ts';
import { type AgreementUse, readAgreementUses } from '../../charges/bank-files/store-agreements.ts';
import type { OpenFile } from '../../charges/bank-files/store-answers.ts';
import { readUnanswered } from '../../charges/bank-files/unanswered-files.ts';
import { countFreeOf, type FreeCount } from '../../charges/create/fill-locations.ts';
import { type OpenDisputes, readOpenDisputes } from '../../charges/disputes/store-list.ts';
import { type RailRecord, readRails } from '../../charges/store/rails.ts';
import { type DeliveryLag, readDeliveryLag } from '../../events/store-lag.ts';
import type { Queue, QueueDepth } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOutage } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { HOLD_REASONS } from '../../orders/order.ts';
import { countHeldOrders, type HeldCount } from '../../orders/store.ts';
import { countWaiting, type WaitingCount } from '../../orders/store-line.ts';
import { readOpenAlarms } from '../../payouts/store/alarms.ts';
import { countWatchedPayouts, type WatchedCount } from '../../payouts/store/count.ts';
import { countHaltedSenders } from '../../payouts/store/senders.ts';
import { ALARM_REASONS, type Alarm } from '../../payouts/watch/alarm.ts';
import type { Rails } from '../../rails/rails.ts';
import { type ArchiverState, readArchiver } from '../../storage/archiver-state.ts';
import type { Database } from '../../storage/database.ts';
import type { Prune } from '../../storage/pruning.ts';
import type { Replica } from '../../storage/replica.ts';
import type { Certificates } from '../certificates.ts';
import { processMetrics } from '../server/observers.ts';
import { agreementGauges } from './agreement-metrics.ts';
import { archiverGauge } from './archiver-metrics.ts';
import { showLoops } from './loop-metrics.ts';
import { type OldestRow, oldestRowGauge, readOldestRows, showKept } from './oldest-rows.ts';

type Deps = {
  readonly registry: Registry;
  readonly db: Database;
  readonly replica: Replica;
  readonly queue: Pick<Queue, 'depths'>;
  readonly rails: Rails;
  readonly certificates: Certificates;
  readonly heartbeats: Heartbeats;
  readonly prunes: readonly Prune[];
  readonly clock: Clock;
  readonly log: Log;
};

/** The most rows to count of a kind; a gauge at this value means this many or more. */
const COUNT_LIMIT = 10_000;
/** How long a scrape waits for the database. Prometheus gives up after ten seconds by default. */
const READ_LIMIT_MS = 2_000;

export function metricsRoutes(app: FastifyInstance, deps: Deps): void {
  const { registry, db, log, certificates, rails } = deps;
  processMetrics();
  showPool(registry, db);
  showReplica(registry, deps.replica);
  showLoops(registry, deps.heartbeats);
  showCertificates(registry, certificates);
  showKept(registry, deps.prunes);
  const show = backlogGauges(registry, rails);
  let reading: Promise<Backlog | NoBacklog> | undefined;

  /** One read at a time: scrapes that come while the database does not answer take no further connection. */
  async function refresh(): Promise<void> {
    reading ??= readBacklog(deps)
      .catch((error: unknown): NoBacklog => {
        // A refused statement is our own fault, and shows that the database answers.
        const level = isOutage(error) ? 'warn' : 'error';
        log[level]('the backlog could not be read from the database; its gauges are absent', { error });
        return isOutage(error) ? 'unreachable' : 'failed';
      })
      .finally(() => {
        reading = undefined;
      });
    show(await Promise.race([reading, wait(READ_LIMIT_MS, 'unreachable' as const, { ref: false })]));
  }

  app.get(
    '/metrics',
    { config: { isUnlimited: true, answersWithoutDatabase: true }, schema: { hide: true } },
    async (_request, reply) => {
      await refresh();
      reply.type(registry.contentType);
      return Registry.merge([processMetrics(), registry]).metrics();
    },
  );
}

/** The backlog in the database. */
type Backlog = {
  readonly depths: readonly QueueDepth[];
  readonly lag: DeliveryLag;
  readonly payouts: readonly WatchedCount[];
  readonly held: readonly HeldCount[];
  readonly waiting: readonly WaitingCount[];
  readonly refusedCycles: number;
  readonly unorderedCycles: number;
  readonly disputes: OpenDisputes;
  readonly halted: ReadonlyMap<Network, number>;
  readonly alarms: readonly Alarm[];
  readonly rails: readonly RailRecord[];
  readonly locations: readonly FreeCount[];
  readonly agreements: readonly AgreementUse[];
  readonly unanswered: readonly OpenFile[];
  readonly oldestRows: readonly OldestRow[];
  readonly archiver: ArchiverState | undefined;
  readonly now: Date;
};

/** Why the backlog is unknown. */
type NoBacklog = 'unreachable' | 'failed';

/** One statement after the other: metrics are not worth a second connection. */
async function readBacklog({ db, queue, rails, prunes, clock }: Deps): Promise<Backlog> {
  const now = clock.now();
  return {
    now,
    depths: await queue.depths(),
    lag: await readDeliveryLag(db, now, COUNT_LIMIT),
    payouts: await countWatchedPayouts(db, COUNT_LIMIT),
    held: await countHeldOrders(db, COUNT_LIMIT),
    waiting: await countWaiting(db, COUNT_LIMIT),
    refusedCycles: await countRefusedCycles(db, COUNT_LIMIT),
    unorderedCycles: await countUnorderedCycles(db, COUNT_LIMIT),
    disputes: await readOpenDisputes(db),
    halted: await countHaltedSenders(db),
    alarms: await readOpenAlarms(db),
    rails: await readRails(db),
    locations: await countFreeOf(db, rails, COUNT_LIMIT),
    agreements: await readAgreementUses(db, COUNT_LIMIT),
    unanswered: await readUnanswered({ db, rails, clock }),
    oldestRows: await readOldestRows(db, prunes),
    archiver: await readArchiver(db),
  };
}

/** Returns a function that sets the gauges. When nothing could be read, they are absent. */
function backlogGauges(registry: Registry, rails: Rails): (backlog: Backlog | NoBacklog) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('trilho_database_up', '1 when the database answered this scrape in time.');
  const jobs = gauge('trilho_jobs', 'Jobs that are not done, by queue and state.', ['queue', 'state']);
  const jobAge = gauge('trilho_jobs_oldest_ready_seconds', 'How long the oldest due job waits.', ['queue']);
  const pending = gauge('trilho_webhook_deliveries_pending', 'Deliveries that wait for enabled webhooks.');
  const lag = gauge('trilho_webhook_delivery_lag_seconds', 'How long the oldest due delivery waits.');
  const failing = gauge('trilho_webhooks_failing', 'Enabled webhooks whose last delivery failed.');
  const events = gauge('trilho_events_waiting', 'Events whose deliveries are not written yet.');
  const payouts = gauge('trilho_payouts', 'Payouts that are watched.', ['network', 'state']);
  const payoutAge = gauge('trilho_payouts_oldest_open_seconds', 'How long the oldest open payout waits.', ['network']);
  const waiting = gauge('trilho_orders_waiting', 'Orders that wait for a slot.', ['network']);
  const waitingAge = gauge('trilho_orders_oldest_waiting_seconds', 'How long the first one waits.', ['network']);
  const halted = gauge('trilho_senders_halted', 'Senders whose key was used elsewhere.', ['network']);
  const alarms = gauge('trilho_payout_alarms', 'Alarms of payouts that are raised.', ['network', 'reason']);
  const held = gauge('trilho_orders_held', 'Orders on hold.', ['reason']);
  const refused = gauge('trilho_subscription_cycles_refused', 'Cycles for which no charge can be made.');
  const unordered = gauge('trilho_subscription_cycles_unordered', 'Paid cycles whose money could buy no crypto yet.');
  const disputes = gauge('trilho_disputes_open', 'Disputes that have not ended.');
  const blocked = gauge('trilho_disputes_blocked_reais', 'What they block, in reais.');
  const disputeAge = gauge('trilho_disputes_oldest_open_seconds', 'How long the oldest one is open.');
  const silent = gauge('trilho_rail_silent_seconds', 'How long a PSP has not answered.', ['rail']);
  const differences = gauge('trilho_reconcile_differences', 'What differed on the last day compared.', ['rail']);
  const compared = gauge('trilho_reconcile_last_run_timestamp_seconds', 'When a day was last compared.', ['rail']);
  const locations = gauge('trilho_rail_locations_free', 'Free locations for new charges.', ['rail', 'kind']);
  const agreements = agreementGauges(registry);
  const oldest = oldestRowGauge(registry);
  const archiver = archiverGauge(registry);
  const ofRails = [silent, differences, compared, locations, ...agreements.gauges, oldest.gauge, archiver.gauge];
  const ofLines = [waiting, waitingAge, halted, alarms, refused, unordered];
  const ofDisputes = [disputes, blocked, disputeAge];
  const fromDatabase = [
    jobs,
    jobAge,
    pending,
    lag,
    failing,
    events,
    payouts,
    payoutAge,
    ...ofLines,
    held,
    ...ofRails,
    ...ofDisputes,
  ];

  return backlog => {
    for (const each of fromDatabase) {
      each.reset();
      // A gauge without labels resets to 0, which would look like a value.
      each.remove({});
    }
    up.set(backlog === 'unreachable' ? 0 : 1);
    if (typeof backlog === 'string') return;
    const { now } = backlog;
    for (const { name, oldestReadySeconds, ...counts } of backlog.depths) {
      for (const [state, count] of Object.entries(counts)) jobs.set({ queue: name, state }, count);
      jobAge.set({ queue: name }, oldestReadySeconds);
    }
    pending.set(backlog.lag.pending);
    lag.set(secondsSince(backlog.lag.oldestDueAt, now));
    failing.set(backlog.lag.failingWebhooks);
    events.set(backlog.lag.waitingEvents);
    refused.set(backlog.refusedCycles);
    unordered.set(backlog.unorderedCycles);
    disputes.set(backlog.disputes.count);
    blocked.set(Number(backlog.disputes.blockedCents) / 100);
    disputeAge.set(secondsSince(backlog.disputes.oldestAt, now));
    for (const network of NETWORKS) {
      for (const state of ['open', 'done']) {
        const found = backlog.payouts.find(one => one.network === network && one.state === state);
        payouts.set({ network, state }, found?.count ?? 0);
        if (state === 'open') payoutAge.set({ network }, secondsSince(found?.oldestAt, now));
      }
      const line = backlog.waiting.find(one => one.network === network);
      waiting.set({ network }, line?.count ?? 0);
      waitingAge.set({ network }, secondsSince(line?.oldestAt, now));
      halted.set({ network }, backlog.halted.get(network) ?? 0);
      for (const reason of ALARM_REASONS) {
        const open = backlog.alarms.filter(alarm => alarm.network === network && alarm.reason === reason);
        alarms.set({ network, reason }, open.length);
      }
    }
    for (const { name: rail, seenUntil, silentSince, compared: last } of backlog.rails) {
      if (seenUntil) silent.set({ rail }, secondsSince(silentSince, now));
      if (!last) continue;
      differences.set({ rail }, last.differences);
      compared.set({ rail }, last.at.getTime() / 1000);
    }
    for (const { rail, kind, count } of backlog.locations) locations.set({ rail, kind }, count);
    agreements.show(backlog.agreements, backlog.unanswered, rails, now);
    oldest.show(backlog.oldestRows, now);
    archiver.show(backlog.archiver);
    for (const reason of HOLD_REASONS) {
      held.set({ reason }, backlog.held.find(one => one.reason === reason)?.count ?? 0);
    }
  };
}

function secondsSince(moment: Date | undefined, now: Date): number {
  return moment ? Math.max(0, (now.getTime() - moment.getTime()) / 1000) : 0;
}

/** Banks take days to issue a new certificate, so its expiry is a metric. */
function showCertificates(registry: Registry, certificates: Certificates): void {
  new Gauge({
    name: 'trilho_certificate_end_timestamp_seconds',
    help: 'When a certificate expires: the client certificate of a rail, or that of the receiver.',
    labelNames: ['certificate'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, end } of certificates()) this.set({ certificate: name }, end.getTime() / 1000);
    },
  });
}

/** Metrics of the process itself. */
function showPool(registry: Registry, db: Database): void {
  new Gauge({
    name: 'trilho_database_connections',
    help: 'Connections of the pool, callers that wait for one, and the maximum.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting, max } = db.poolStats();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
      this.set({ state: 'max' }, max);
    },
  });
}

function showReplica(registry: Registry, replica: Replica): void {
  new Gauge({
    name: 'trilho_replica_lag_seconds',
    help: 'The lag of the replica.',
    registers: [registry],
    collect() {
      this.set(replica.lagMs() / 1000);
    },
  });
}
