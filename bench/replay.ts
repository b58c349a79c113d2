// The driver's limit: recorded statements, sent again by `pg` and nothing else. Statements keep their order and their
// transactions. What the service sent without waiting for an answer is sent without waiting here too.
import pg from 'pg';
import { percentileOf } from './figures.ts';
import type { LoadResult } from './http-load.ts';
import type { Unit } from './recording.ts';

// Dates are sent as the service sends them.
pg.defaults.parseInputDatesAsUTC = true;

export type Replay = {
  /** Sends the units once, or repeatedly for some seconds. The rate counts requests, the times are those of units. */
  run(units: readonly Unit[], requests: number, seconds?: number): Promise<LoadResult>;
  close(): Promise<void>;
};

/** Opens the connections once and keeps them, as the service does. Each takes the next unit when it is free. */
export async function openReplay(url: string, { connections }: { readonly connections: number }): Promise<Replay> {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url, options: '-c timezone=UTC', pipeline: true }),
  );
  await Promise.all(clients.map(client => client.connect()));

  return {
    run: async (units, requests, seconds) => {
      const latencies: number[] = [];
      let next = 0;
      const startedAt = performance.now();
      const endsAt = startedAt + (seconds ?? 0) * 1000;
      const hasMore = () => (seconds === undefined ? next < units.length : performance.now() < endsAt);
      await Promise.all(
        clients.map(async client => {
          while (hasMore()) {
            const unit = units[next++ % units.length]!;
            const sentAt = performance.now();
            await sendUnit(client, unit);
            latencies.push(performance.now() - sentAt);
          }
        }),
      );
      const tookSeconds = (performance.now() - startedAt) / 1000;
      const count = (latencies.length / units.length) * requests;
      const [p50, p99] = [percentileOf(latencies, 0.5), percentileOf(latencies, 0.99)];
      return { count, rate: count / tookSeconds, p50, p99 };
    },
    close: async () => {
      await Promise.all(clients.map(client => client.end()));
    },
  };
}

/**
 * The rows differ from those of the recording, such as the ids of jobs, so a statement may be refused. Then the rest of its
 * transaction is skipped, which makes the limit higher, not lower.
 */
async function sendUnit(client: pg.Client, unit: Unit): Promise<void> {
  const unanswered: Promise<unknown>[] = [];
  try {
    for (const { text, values, name, isPipelined } of unit) {
      if (!isPipelined) await Promise.all(unanswered.splice(0));
      unanswered.push(client.query({ text, values, ...(name !== undefined && { name }) }));
    }
    await Promise.all(unanswered);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
  }
}
