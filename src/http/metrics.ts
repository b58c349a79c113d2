// /metrics: what a Prometheus server reads. It answers also when the database does not: then most of all.
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { countByStatus, type StatusCount } from '../charges/store.ts';
import type { JobCount, Queue } from '../jobs/queue.ts';
import type { Database } from '../storage/database.ts';
import { countOrders, type OrderCount } from '../transactions/store-orders.ts';
import { type CountedAnswer, tallyAnswers } from './tally.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

export type Metrics = {
  count(answer: CountedAnswer): void;
  routes(app: FastifyInstance): void;
};

/** Counting reads whole tables, so what was counted serves for a while. */
const COUNT_EVERY_MS = 10_000;

export function createMetrics({ db, queue }: Deps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const count = tallyAnswers(registry);
  new Gauge({
    name: 'trilho_database_connections',
    help: 'Connections of the pool, and callers that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = db.poolStats();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  const up = new Gauge({ name: 'trilho_database_up', help: '1 when the last count was answered.', registers });
  const jobs = new Gauge({
    name: 'trilho_jobs',
    help: 'Work that is not done, by queue and state.',
    labelNames: ['queue', 'state'],
    registers,
  });
  const charges = new Gauge({
    name: 'trilho_charges',
    help: 'Methods of charges by state.',
    labelNames: ['method', 'state'],
    registers,
  });

  const orders = new Gauge({
    name: 'trilho_orders',
    help: 'Orders of crypto by status, and by why they rest; those that rest for no reason have none.',
    labelNames: ['status', 'hold_reason'],
    registers,
  });

  let countedAtMs = Number.NEGATIVE_INFINITY;

  /** What only the database knows. While it is silent these gauges are absent, and `trilho_database_up` says why. */
  async function countInDatabase(): Promise<void> {
    if (performance.now() - countedAtMs < COUNT_EVERY_MS) return;
    jobs.reset();
    charges.reset();
    orders.reset();
    try {
      const counts = await Promise.all([queue.counts(), countByStatus(db), countOrders(db)]);
      show(...counts);
      up.set(1);
      countedAtMs = performance.now();
    } catch {
      up.set(0);
    }
  }

  function show(
    jobCounts: readonly JobCount[],
    chargeCounts: readonly StatusCount[],
    orderCounts: readonly OrderCount[],
  ): void {
    for (const { name, state, count } of jobCounts) jobs.set({ queue: name, state }, count);
    for (const { method, status, count } of chargeCounts) charges.set({ method, state: status }, count);
    for (const { status, holdReason, count } of orderCounts) orders.set({ status, hold_reason: holdReason }, count);
  }

  return {
    count,

    routes: app => {
      app.get('/metrics', { config: { scope: 'metrics:read' }, schema: { hide: true } }, async (_request, reply) => {
        await countInDatabase();
        reply.type(registry.contentType);
        return registry.metrics();
      });
    },
  };
}
