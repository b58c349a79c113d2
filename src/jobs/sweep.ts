// Runs the sweeps of the nouns once a second. A sweep handles the timers of a noun that are due.
import assert from 'node:assert/strict';
import type { Clock } from '../lib/clock.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Beat, type Loop, startLoop } from '../lib/loop.ts';
import type { Database, Sql } from '../storage/database.ts';

export type Sweep = {
  /** What it handles: "timers of charges". */
  readonly name: string;
  /**
   * Handles all timers due up to a time, oldest first, and returns their number. When it returns, timers that another node
   * had taken are committed as well. There may be many: it beats after each batch.
   */
  upTo(moment: Date, beat?: Beat): Promise<number>;
  /** The next time up to `until` at which an external system is called, where a moved sandbox clock stops. */
  nextStopAt(sql: Sql, until: Date): Promise<Date | undefined>;
};

const SWEEP_EVERY_MS = 1_000;

type Deps = {
  readonly sweeps: readonly Sweep[];
  readonly clock: Clock;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  /** Runs before each sweep. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

export function startSweeping({ sweeps, clock, log, heartbeats, beforeWork }: Deps): { stop(): Promise<void> } {
  // One loop for each: a failing sweep must not delay the others.
  const loops: Loop[] = sweeps.map(sweep =>
    startLoop({
      name: `handling ${sweep.name}`,
      task: async (_signal, beat) => {
        await beforeWork?.();
        await sweep.upTo(clock.now(), beat);
      },
      pauseMs: SWEEP_EVERY_MS,
      heartbeats,
      log,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

const BATCH_SIZE = 500;
const MAX_BATCHES = 100_000;

/**
 * Takes due timers in batches, a transaction each, until a batch is not full; returns their number. `takeBatch` handles up to
 * `limit` of them.
 */
export async function sweepInBatches(
  db: Database,
  takeBatch: (tx: Sql, limit: number) => Promise<number>,
  beat?: Beat,
): Promise<number> {
  let swept = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const taken = await db.transaction(async tx => {
      await lockSweeps(tx);
      return takeBatch(tx, BATCH_SIZE);
    });
    beat?.();
    swept += taken;
    if (taken < BATCH_SIZE) return swept;
  }
  assert.fail('the sweep did not finish: every batch was full');
}

/** Holds the sweep lock until the transaction ends: one batch at a time across all nodes, so timers keep their order. */
export async function lockSweeps(tx: Sql): Promise<void> {
  await tx.query('select from sweep_lock for update');
}
