// The gauges of rows that are removed after a time: the age of the oldest row, and the maximum age.
import { Gauge, type Registry } from 'prom-client';
import { addDuration } from '../../lib/date-times.ts';
import type { Sql } from '../../storage/database.ts';
import type { Prune } from '../../storage/pruning.ts';

export type OldestRow = { readonly kind: string; readonly at: Date | undefined };

export async function readOldestRows(sql: Sql, prunes: readonly Prune[]): Promise<OldestRow[]> {
  const rows: OldestRow[] = [];
  for (const { kind, oldest } of prunes) rows.push({ kind, at: await oldest(sql) });
  return rows;
}

export function oldestRowGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'trilho_oldest_row_seconds',
    help: 'The age of the oldest row, by kind of rows that are removed after a time.',
    labelNames: ['kind'],
    registers: [registry],
  });
  return {
    gauge,
    show: (rows: readonly OldestRow[], now: Date) => {
      for (const { kind, at } of rows) {
        gauge.set({ kind }, at ? Math.max(0, (now.getTime() - at.getTime()) / 1000) : 0);
      }
    },
  };
}

export function showKept(registry: Registry, prunes: readonly Prune[]): void {
  const gauge = new Gauge({
    name: 'trilho_row_keep_seconds',
    help: 'How long rows are kept, by kind of rows that are removed after a time.',
    labelNames: ['kind'],
    registers: [registry],
  });
  for (const { kind, keep } of prunes) {
    const end = keep === 'forever' ? undefined : addDuration(new Date(0), keep);
    if (end) gauge.set({ kind }, end.getTime() / 1000);
  }
}
