// /metrics: what a Prometheus server reads.
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { countByStatus } from '../charges/store.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Database } from '../storage/database.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function metricsRoutes(app: FastifyInstance, { db, queue }: Deps): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'trilho_http_requests_total',
    help: 'Requests answered.',
    labelNames,
    registers,
  });
  const latency = new Histogram({
    name: 'trilho_http_request_duration_seconds',
    help: 'Time from the first byte in to the last byte out.',
    labelNames: ['method', 'route'],
    buckets: LATENCY_SECONDS,
    registers,
  });
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
  new Gauge({
    name: 'trilho_jobs',
    help: 'Jobs by queue and state.',
    labelNames: ['queue', 'state'],
    registers,
    async collect() {
      const counts = await queue.counts();
      this.reset();
      for (const { name, state, count } of counts) this.set({ queue: name, state }, count);
    },
  });
  new Gauge({
    name: 'trilho_charges',
    help: 'Methods of charges by state.',
    labelNames: ['method', 'state'],
    registers,
    async collect() {
      const counts = await countByStatus(db);
      this.reset();
      for (const { method, status, count } of counts) this.set({ method, state: status }, count);
    },
  });

  app.addHook('onResponse', async (request, reply) => {
    // A pattern, never the address itself: addresses are endless, and may hold what nobody should read here.
    const route = request.routeOptions.url ?? 'unknown';
    requests.inc({ method: request.method, route, status: reply.statusCode });
    latency.observe({ method: request.method, route }, reply.elapsedTime / 1000);
  });

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(registry.contentType);
    return registry.metrics();
  });
}
