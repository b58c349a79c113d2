// The clock of a sandbox: the time of the database's machine plus an offset, which is stored in the database so that all
// nodes share it. While the clock is being moved it is halted.
import { lockSweeps } from '../../jobs/sweep.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database, Sql } from '../../storage/database.ts';

export type SandboxClock = Clock & {
  /** Reads the shared offset. Called before every request, job and run of a loop. */
  refresh(): Promise<void>;
  /**
   * Halts the clock at its current time for one move, in the given transaction. Returns when that was, by the database's
   * clock; undefined when another move is running.
   */
  tryHalt(tx: Sql, moveId: string): Promise<Date | undefined>;
  /** Moves the clock forward to a time and halts it there. Refuses a move that has expired. */
  haltAt(moveId: string, moment: Date): Promise<void>;
  /** The heartbeat of a move: extends the halt. */
  keepHalted(moveId: string): Promise<void>;
  /** Lets the clock run again from its halted time. */
  resume(moveId: string): Promise<void>;
};

/** A clock move expires this long after its last heartbeat, and the clock runs again. */
const HALT_SECONDS = 10;
const HALTED_UNTIL = `halted_until = now() + ${HALT_SECONDS} * interval '1 second'`;

type ClockRow = { ahead_ms: string; halted_at: Date | null };

export function sandboxClock(db: Database, realClock: Clock): SandboxClock {
  let aheadMs = 0;
  let haltedAt: Date | null = null;
  let reading: Promise<void> | undefined;
  let movesMade = 0;

  function apply(row: ClockRow | undefined): void {
    aheadMs = Number(row?.ahead_ms ?? 0);
    haltedAt = row?.halted_at ?? null;
  }

  async function read(): Promise<void> {
    const movesBefore = movesMade;
    const [row] = await db.query<ClockRow>(
      'select ahead_ms, case when halted_until > now() then halted_at end as halted_at from sandbox_clock',
    );
    // A row read during a move of this process may be older than the move.
    if (movesMade === movesBefore) apply(row);
  }

  /** Waits for a running sweep: the clock must not move during one. False when another move has taken the clock. */
  async function move(moveId: string, assignments: string, values: readonly unknown[] = []): Promise<boolean> {
    const row = await db.transaction(async tx => {
      await lockSweeps(tx);
      const [moved] = await tx.query<ClockRow>(
        `update sandbox_clock set ${assignments} where move_id = $1 returning ahead_ms, halted_at`,
        [moveId, ...values],
      );
      return moved;
    });
    if (!row) return false;
    movesMade++;
    apply(row);
    return true;
  }

  return {
    now: () => haltedAt ?? new Date(realClock.now().getTime() + aheadMs),

    // A caller that arrives during a read waits for the next one, which all such callers share: so its result is newer than
    // every one of these calls. A read that failed fails for all of them, or they would wait for a silent database twice.
    refresh: async () => {
      const current = reading;
      if (current) {
        await current;
        if (reading) return reading;
      }
      reading = read().finally(() => {
        reading = undefined;
      });
      return reading;
    },

    tryHalt: async (tx, moveId) => {
      await lockSweeps(tx);
      const [row] = await tx.query<{ at: Date }>(
        `update sandbox_clock
            set halted_at = $2::timestamptz + ahead_ms * interval '1 millisecond', ${HALTED_UNTIL}, move_id = $1
          where halted_until is null or halted_until <= now() or move_id = $1
          returning date_trunc('milliseconds', now()) + interval '1 millisecond' as at`,
        [moveId, realClock.now()],
      );
      return row?.at;
    },

    haltAt: async (moveId, moment) => {
      const isMine = await move(moveId, `ahead_ms = greatest(ahead_ms, $2::bigint), halted_at = $3, ${HALTED_UNTIL}`, [
        moment.getTime() - realClock.now().getTime(),
        moment,
      ]);
      if (!isMine) throw new AppError('wrong_state', 'Another move has taken the clock; try again shortly.');
    },

    keepHalted: async moveId => {
      // Without the lock of the sweeps: a heartbeat must not wait until one of them has ended.
      await db.query(`update sandbox_clock set ${HALTED_UNTIL} where move_id = $1`, [moveId]);
    },

    resume: async moveId => {
      await move(
        moveId,
        `ahead_ms = greatest(0, round(extract(epoch from halted_at - $2::timestamptz) * 1000)),
         halted_at = null, halted_until = null, move_id = null`,
        [realClock.now()],
      );
    },
  };
}
