// The limit: what is on a tape, said by the driver and nothing else. Statements keep their order and their transactions;
// connections take turns.
import pg from 'pg';
import { runTogether } from '../src/storage/together.ts';
import { percentile } from './figures.ts';
import type { LoadResult } from './load.ts';
import type { Unit } from './tape.ts';

// As the service sends moments.
pg.defaults.parseInputDatesAsUTC = true;

export type Player = {
  /** Says units once, or again and again for so many seconds. The rate is in requests, the times are of units. */
  play(units: readonly Unit[], requests: number, seconds?: number): Promise<LoadResult>;
  close(): Promise<void>;
};

type Playing = {
  readonly connections: number;
  /** Whether what the service sent whole is sent whole, and the next behind it, as its own code does; else word by word. */
  readonly isWhole?: boolean;
};

/** Its connections stay, as those of the service do. */
export async function openPlayer(url: string, { connections, isWhole = false }: Playing): Promise<Player> {
  const clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url, options: '-c timezone=UTC', pipeline: isWhole }),
  );
  await Promise.all(clients.map(client => client.connect()));

  return {
    play: async (units, requests, seconds) => {
      const latencies: number[] = [];
      let next = 0;
      const startedAt = performance.now();
      const endsAt = startedAt + (seconds ?? 0) * 1000;
      const hasMore = () => (seconds === undefined ? next < units.length : performance.now() < endsAt);
      await Promise.all(
        clients.map(async client => {
          let before: Promise<unknown> | undefined;
          while (hasMore()) {
            const unit = units[next++ % units.length]!;
            const isSentWhole = isWhole && 'together' in unit;
            const beganAt = performance.now();
            const said = (isSentWhole ? runTogether(client, unit.together) : say(client, unit)).then(() => {
              latencies.push(performance.now() - beganAt);
            });
            await Promise.all(isSentWhole ? [before] : [before, said]);
            before = said;
          }
          await before;
        }),
      );
      const took = (performance.now() - startedAt) / 1000;
      const count = (latencies.length / units.length) * requests;
      latencies.sort((a, b) => a - b);
      return { count, rate: count / took, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
    },
    close: async () => {
      await Promise.all(clients.map(client => client.end()));
    },
  };
}

/**
 * Others may wait now than waited then, such as jobs, and a statement about them may be refused: then the rest of its transaction
 * is left out, which makes the limit higher, not lower.
 */
async function say(client: pg.Client, unit: Unit): Promise<void> {
  try {
    for (const statement of 'together' in unit ? [BEGIN, ...unit.together, COMMIT] : unit) {
      await client.query(statement as pg.QueryConfig);
    }
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
  }
}

const BEGIN = { text: 'begin' };
const COMMIT = { text: 'commit' };
