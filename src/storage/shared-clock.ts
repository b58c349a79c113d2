// Business time that all nodes share and a sandbox may move: the machine's time and how far ahead of it we are, which is
// kept in the database. While it is being moved it stands still.
import type { Clock } from '../lib/clock.ts';
import type { Sql } from './database.ts';

export type SharedClock = Clock & {
  /** Moves business time forward to a moment, never back, and lets it stand still there. Part of the caller's transaction. */
  haltAt(tx: Sql, moment: Date): Promise<void>;
  /** Lets it run on from where it stands. */
  resume(tx: Sql): Promise<void>;
  /** True while somebody moves it, as far as `refresh` has learnt. */
  isHalted(): boolean;
};

/** A mover that has not been heard of for so long is dead, and time goes on without it. */
const HALT_SECONDS = 120;

type Row = { ahead_ms: string; halted_at: Date | null };

export function sharedClock(db: Sql, base: Clock): SharedClock {
  let aheadMs = 0;
  let haltedAt: Date | null = null;
  let reading: Promise<void> | undefined;

  function learn(row: Row | undefined): void {
    aheadMs = Number(row?.ahead_ms ?? 0);
    haltedAt = row?.halted_at ?? null;
  }

  async function read(): Promise<void> {
    const [row] = await db.query<Row>(
      'select ahead_ms, case when halted_until > now() then halted_at end as halted_at from clock',
    );
    learn(row);
  }

  return {
    now: () => haltedAt ?? new Date(base.now().getTime() + aheadMs),

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

    haltAt: async (tx, moment) => {
      const [row] = await tx.query<Row>(
        `update clock
            set ahead_ms = greatest(ahead_ms, $1::bigint), halted_at = $2, halted_until = now() + $3::int * interval '1 second'
          returning ahead_ms, halted_at`,
        [moment.getTime() - base.now().getTime(), moment, HALT_SECONDS],
      );
      learn(row);
    },

    resume: async tx => {
      const standsAt = haltedAt ?? new Date(base.now().getTime() + aheadMs);
      const [row] = await tx.query<Row>(
        `update clock set ahead_ms = greatest(0, $1::bigint), halted_at = null, halted_until = null
          returning ahead_ms, halted_at`,
        [standsAt.getTime() - base.now().getTime()],
      );
      learn(row);
    },

    isHalted: () => haltedAt !== null,
  };
}
