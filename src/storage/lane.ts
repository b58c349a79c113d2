// One connection for what many do together: a transaction is sent behind the one before, for whose end nobody waits, so the
// database has the next at hand and the two never hold each other up.
import type pg from 'pg';
import { isUnusable } from './faults.ts';
import { type Rows, runTogether, type Statement } from './together.ts';

/** Runs statements as one transaction that is sent whole, and returns the rows of each. */
export type Send = (statements: readonly Statement[]) => Promise<readonly Rows[]>;

/**
 * A lane holds a connection of the pool as long as anything is under way on it. A statement waits so long for somebody else's
 * lock before it fails.
 */
export function openLane(pool: pg.Pool, lockWaitMs: number): Send {
  const first = settings(lockWaitMs);
  let held: Held | undefined;

  return async statements => {
    held ??= { client: pool.connect(), users: 0 };
    const mine = held;
    mine.users++;
    try {
      const [, ...rows] = await runTogether(await mine.client, [first, ...statements]);
      return rows;
    } catch (error) {
      if (isUnusable(error)) mine.fault = error as Error;
      throw error;
    } finally {
      mine.users--;
      // Who comes next to one that is broken takes another.
      if (held === mine && (mine.users === 0 || mine.fault)) held = undefined;
      if (mine.users === 0) giveBack(mine);
    }
  };
}

type Held = { readonly client: Promise<pg.PoolClient>; users: number; fault?: Error };

function giveBack({ client, fault }: Held): void {
  client.then(
    given => given.release(fault),
    // There was none to be had, as whoever asked was told.
    () => {},
  );
}

/** Plans are made without a look at the values: at every one of hundreds of ids that took longer than to look them up. */
function settings(lockWaitMs: number): Statement {
  return {
    name: 'set_for_many',
    text: `select set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
    values: [String(lockWaitMs)],
  };
}
