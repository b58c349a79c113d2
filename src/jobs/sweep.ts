// What time alone brings: each noun knows what is due and does it, here is when it is asked to.
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';

export type Sweep = {
  /**
   * Does all that is due up to a moment, oldest first, and returns how many timers that were. When it returns, what another
   * node has taken is committed as well.
   */
  upTo(moment: Date): Promise<number>;
  /** The next moment at which the outside world is to be asked, up to another: time must not pass over it. */
  nextStopAt(sql: Sql, until: Date): Promise<Date | undefined>;
};

const SWEEP_EVERY_MS = 1_000;

type Deps = { readonly sweeps: readonly Sweep[]; readonly clock: Clock; readonly log: Log };

/** Sweeps from time to time until it is stopped. A sweep that fails is tried again with the next. */
export function startSweeping({ sweeps, clock, log }: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  async function takeTurns(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const sweep of sweeps) {
        try {
          await clock.refresh();
          await sweep.upTo(clock.now());
        } catch (error) {
          log.warn('a sweep failed and will be tried again', { error });
        }
      }
      await wait(SWEEP_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const turns = takeTurns();
  return {
    stop: async () => {
      stopping.abort();
      await turns;
    },
  };
}
