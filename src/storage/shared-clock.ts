// Business time that all nodes share and a sandbox may move: the machine's time and how far ahead of it we are, which is
// kept in the database.
import type { Clock } from '../lib/clock.ts';
import type { Sql } from './database.ts';

export type SharedClock = Clock & {
  /** Moves business time forward to a moment; never back. Part of the caller's transaction. */
  moveTo(tx: Sql, moment: Date): Promise<void>;
};

export function sharedClock(db: Sql, base: Clock): SharedClock {
  let aheadMs = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const [row] = await db.query<{ ahead_ms: string }>('select ahead_ms from clock');
    aheadMs = Number(row?.ahead_ms ?? 0);
  }

  return {
    now: () => new Date(base.now().getTime() + aheadMs),

    // Whoever arrives while a reading is under way waits for the next one, which all of them share: its answer is newer
    // than every request it serves.
    refresh: async () => {
      const current = reading;
      if (current) {
        await current.catch(() => {});
        if (reading) return reading;
      }
      reading = read().finally(() => {
        reading = undefined;
      });
      return reading;
    },

    moveTo: async (tx, moment) => {
      const [row] = await tx.query<{ ahead_ms: string }>(
        'update clock set ahead_ms = greatest(ahead_ms, $1) returning ahead_ms',
        [moment.getTime() - base.now().getTime()],
      );
      aheadMs = Number(row!.ahead_ms);
    },
  };
}
