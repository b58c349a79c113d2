// Business time that all nodes share and a sandbox may move: the machine's time and how far ahead of it we are, which is
// kept in the database. While it is being moved it stands still.
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { run, type Sql } from './database.ts';
import type { Rows, Statement } from './together.ts';

export type SharedClock = Clock & {
  /** For who asks the database something at the same time: what tells the time, and what to do with its answer. */
  look(): { readonly statement: Statement; learn(rows: Rows): void };
  /** Another number whenever what this node knows of the time has changed. */
  turn(): number;
  /**
   * Undoes the transaction when the time is not what this node takes it for now. What was made without `refresh`, in the same
   * turn, is written with this; see `isMoved`.
   */
  unmoved(): Statement;
  /** Lets it stand still where it is, for one who wants to move it. False: somebody else does. Part of the transaction. */
  tryHalt(tx: Sql, mover: string): Promise<boolean>;
  /** Moves it forward to a moment, and lets it stand still there. Refuses one who does not move it any more. */
  haltAt(mover: string, moment: Date): Promise<void>;
  /** Says that the mover is alive. */
  keepHalted(mover: string): Promise<void>;
  /** Lets it run on from where its mover has left it. */
  resume(mover: string): Promise<void>;
};

/** A mover that has not been heard of for so long is dead, and time goes on without it. */
const HALT_SECONDS = 120;
const HALTED_UNTIL = `halted_until = now() + ${HALT_SECONDS} * interval '1 second'`;

type Row = { ahead_ms: string; halted_at: Date | null };

const LOOK: Statement = {
  name: 'read_clock',
  text: 'select ahead_ms, case when halted_until > now() then halted_at end as halted_at from clock',
  values: [],
};
const MOVED = 'TR002';

/** Whether a transaction was undone because the clock has been moved: it is worth making again. */
export function isMoved(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === MOVED;
}

export function sharedClock(db: Sql, base: Clock): SharedClock {
  let aheadMs = 0;
  let haltedAt: Date | null = null;
  let reading: Promise<void> | undefined;
  let movesMade = 0;
  let turn = 0;
  let [looksBegun, lastLearnt] = [0, 0];

  function learn(row: Row | undefined): void {
    const [ahead, halted] = [Number(row?.ahead_ms ?? 0), row?.halted_at ?? null];
    if (ahead !== aheadMs || halted?.getTime() !== haltedAt?.getTime()) turn++;
    [aheadMs, haltedAt] = [ahead, halted];
  }

  function look() {
    const movesBefore = movesMade;
    const number = ++looksBegun;
    return {
      statement: LOOK,
      learn: ([row]: Rows) => {
        // What was read while we moved it may be older than the move, and one that was begun before another older than that.
        if (movesMade !== movesBefore || number < lastLearnt) return;
        lastLearnt = number;
        learn(row as Row | undefined);
      },
    };
  }

  async function read(): Promise<void> {
    const looking = look();
    looking.learn(await run(db, looking.statement));
  }

  /** One statement, committed by itself: nobody reads of a move that is not made. False when the mover is another. */
  async function move(mover: string, text: string, values: readonly unknown[] = []): Promise<boolean> {
    const [row] = await db.query<Row>(`update clock set ${text} where mover = $1 returning ahead_ms, halted_at`, [
      mover,
      ...values,
    ]);
    if (!row) return false;
    movesMade++;
    learn(row);
    return true;
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

    look,

    turn: () => turn,

    unmoved: () => ({
      name: 'require_clock',
      text: 'select require_clock($1, $2)',
      values: [aheadMs, haltedAt],
    }),

    tryHalt: async (tx, mover) => {
      const rows = await tx.query(
        `update clock
            set halted_at = $2::timestamptz + ahead_ms * interval '1 millisecond', ${HALTED_UNTIL}, mover = $1
          where halted_until is null or halted_until <= now() or mover = $1
          returning mover`,
        [mover, base.now()],
      );
      return rows.length > 0;
    },

    haltAt: async (mover, moment) => {
      const isMine = await move(mover, `ahead_ms = greatest(ahead_ms, $2::bigint), halted_at = $3, ${HALTED_UNTIL}`, [
        moment.getTime() - base.now().getTime(),
        moment,
      ]);
      if (!isMine) throw new AppError('wrong_state', 'Somebody else moves the clock now; try again shortly.');
    },

    keepHalted: async mover => {
      await move(mover, HALTED_UNTIL);
    },

    resume: async mover => {
      await move(
        mover,
        `ahead_ms = greatest(0, round(extract(epoch from halted_at - $2::timestamptz) * 1000)),
         halted_at = null, halted_until = null, mover = null`,
        [base.now()],
      );
    },
  };
}

/** One sweep at a time, on whichever node, and no move of the clock meanwhile: until the transaction ends. */
export async function holdClock(tx: Sql): Promise<void> {
  await tx.query('select from clock for update');
}
