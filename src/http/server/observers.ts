// Metrics that are counted and timed as things happen. Other rooms get one function each and know nothing of the registry behind it.
// docs/metrics.md lists every metric.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { hasEnded, REMINDER_STATUSES, type ReminderStatus } from '../../billing/reminders/reminder.ts';
import type { ChainCall } from '../../chains/observed.ts';
import type { DeliveryAttempt } from '../../events/deliver.ts';
import { SPAN_OUTCOMES, type SpanOutcome } from '../../lib/opentelemetry.ts';
import type { RailCall } from '../../rails/observed.ts';
import { REPLICA_OUTCOMES, type ReplicaOutcome } from '../../storage/replica.ts';

type AnsweredRequest = {
  readonly method: string;
  /** The pattern, never the address, which may contain anything. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

/** The event streams of this node, and the bytes that their readers have not taken. */
type StreamUse = { readonly open: number; readonly owedBytes: number };

export type Observers = {
  readonly observeRequest: (answered: AnsweredRequest) => void;
  readonly observeRailCall: (call: RailCall) => void;
  readonly observeChainCall: (call: ChainCall) => void;
  readonly observeDelivery: (attempt: DeliveryAttempt) => void;
  readonly observeChargeBatch: (size: number) => void;
  readonly observePruned: (pruned: { readonly kind: string; readonly count: number }) => void;
  readonly observeReminder: (status: ReminderStatus) => void;
  readonly observeReplicaRead: (outcome: ReplicaOutcome) => void;
  readonly observeSpans: (spans: { readonly outcome: SpanOutcome; readonly count: number }) => void;
  /** Shows the result of the function at every scrape. */
  readonly showStreams: (read: () => StreamUse) => void;
  /** The same for the streams that keep open pages up to date. */
  readonly showPageStreams: (page: 'checkout' | 'dashboard', read: () => number) => void;
};

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** For calls to other systems, which are slower and have longer timeouts. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Each sample of the event loop's delay wakes an idle process; the metric includes this interval. */
const EVENT_LOOP_SAMPLE_MS = 20;
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100];

let ofProcess: Registry | undefined;

/** Node's metrics of the process. Registered once, however many services run in it: the collectors cannot be stopped. */
export function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  }
  return ofProcess;
}

export function createObservers(registry: Registry): Observers {
  const registers = [registry];
  const requests = new Counter({
    name: 'trilho_http_requests_total',
    help: 'Requests answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const pageStreams = new Map<string, () => number>();
  new Gauge({
    name: 'trilho_page_streams',
    help: 'Streams that keep open pages up to date.',
    labelNames: ['page'],
    registers,
    collect() {
      for (const [page, read] of pageStreams) this.set({ page }, read());
    },
  });
  const requestSeconds = new Histogram({
    name: 'trilho_http_request_duration_seconds',
    help: 'Time from the first byte in to the last byte out.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const railSeconds = new Histogram({
    name: 'trilho_rail_call_duration_seconds',
    help: 'Calls to banks and PSPs, by outcome.',
    labelNames: ['rail', 'method', 'operation', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  const chainSeconds = new Histogram({
    name: 'trilho_chain_call_duration_seconds',
    help: 'Calls to the nodes and the signer of a network, by what came of them.',
    labelNames: ['network', 'operation', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  const deliverySeconds = new Histogram({
    name: 'trilho_webhook_attempt_duration_seconds',
    help: 'Deliveries sent to webhooks, by what came of them.',
    labelNames: ['outcome'],
    buckets: CALL_SECONDS,
    registers,
  });
  const batchSizes = new Histogram({
    name: 'trilho_charge_batch_size',
    help: 'Charges written by one transaction.',
    buckets: BATCH_SIZES,
    registers,
  });
  const pruned = new Counter({
    name: 'trilho_rows_removed_total',
    help: 'Rows that were removed because nothing needs them any more.',
    labelNames: ['kind'],
    registers,
  });
  const reminders = new Counter({
    name: 'trilho_reminders_total',
    help: 'Reminders that have ended, by how.',
    labelNames: ['status'],
    registers,
  });
  for (const status of REMINDER_STATUSES.filter(hasEnded)) reminders.inc({ status }, 0);
  const replicaReads = new Counter({
    name: 'trilho_replica_reads_total',
    help: 'Lists that may be read from the replica, by where they were.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of REPLICA_OUTCOMES) replicaReads.inc({ outcome }, 0);
  const spans = new Counter({
    name: 'trilho_trace_spans_total',
    help: 'Spans of traces, by whether the collector has them.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of SPAN_OUTCOMES) spans.inc({ outcome }, 0);
  return {
    observeRequest: ({ method, route, status, seconds }) => {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
    observeRailCall: ({ seconds, ...labels }) => railSeconds.observe(labels, seconds),
    observeChainCall: ({ seconds, ...labels }) => chainSeconds.observe(labels, seconds),
    observeDelivery: ({ seconds, ...labels }) => deliverySeconds.observe(labels, seconds),
    observeChargeBatch: size => batchSizes.observe(size),
    observePruned: ({ kind, count }) => pruned.inc({ kind }, count),
    observeReminder: status => reminders.inc({ status }),
    observeReplicaRead: outcome => replicaReads.inc({ outcome }),
    observeSpans: ({ outcome, count }) => spans.inc({ outcome }, count),
    showPageStreams: (page, read) => pageStreams.set(page, read),
    showStreams: read => {
      const gauge = (name: string, help: string, value: (use: StreamUse) => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(value(read()));
          },
        });
      gauge('trilho_event_streams', 'Event streams that are open.', ({ open }) => open);
      gauge(
        'trilho_event_stream_owed_bytes',
        'Bytes that readers of streams have not taken.',
        ({ owedBytes }) => owedBytes,
      );
    },
  };
}
