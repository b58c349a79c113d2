// Runs the sweeps of the nouns once a second. A sweep handles the timers of a noun that are due.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Sql } from '../storage/database.ts';

export type Sweep = {
  /**
   * Handles all timers due up to a time, oldest first, and returns their number. When it returns, timers that another node
   * had taken are committed as well.
   */
  upTo(moment: Date): Promise<number>;
  /** The next time up to `until` at which an external system is called: a moved sandbox clock stops there. */
  nextStopAt(sql: Sql, until: Date): Promise<Date | undefined>;
};

const SWEEP_EVERY_MS = 1_000;

type Deps = {
  readonly sweeps: readonly Sweep[];
  readonly clock: Clock;
  readonly log: Log;
  /** Runs before each sweep. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

export function startSweeping({ sweeps, clock, log, beforeWork }: Deps): { stop(): Promise<void> } {
  // One loop for each: a failing sweep must not delay the others.
  const loops: Loop[] = sweeps.map(sweep =>
    startLoop({
      name: 'a sweep of due timers',
      task: async () => {
        await beforeWork?.();
        await sweep.upTo(clock.now());
      },
      pauseMs: SWEEP_EVERY_MS,
      log,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

/**
 * Holds the sweep lock until the transaction ends: only one sweep runs at a time across all nodes, so timers keep their
 * order.
 */
export async function lockSweeps(tx: Sql): Promise<void> {
  await tx.query('select from sweep_lock for update');
}
