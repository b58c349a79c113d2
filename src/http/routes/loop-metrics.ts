// The metrics of this node's background loops: whether they run, and whether their runs succeed.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Heartbeats } from '../../lib/heartbeats.ts';

export function showLoops(registry: Registry, heartbeats: Heartbeats): void {
  const shared = { labelNames: ['loop' as const], registers: [registry] };
  new Gauge({
    ...shared,
    name: 'trilho_loop_heartbeat_age_seconds',
    help: 'Time since a background loop of this node ended a run, or a step of a long one.',
    collect() {
      this.reset();
      for (const { name, ageMs } of heartbeats.list()) this.set({ loop: name }, ageMs / 1000);
    },
  });
  new Gauge({
    ...shared,
    name: 'trilho_loop_success_age_seconds',
    help: 'Time since a background loop of this node ended a successful run.',
    collect() {
      this.reset();
      for (const { name, successAgeMs } of heartbeats.list()) this.set({ loop: name }, successAgeMs / 1000);
    },
  });
  new Counter({
    ...shared,
    name: 'trilho_loop_failures_total',
    help: 'Failed runs of background loops of this node.',
    collect() {
      this.reset();
      for (const { name, failures } of heartbeats.list()) this.inc({ loop: name }, failures);
    },
  });
}
