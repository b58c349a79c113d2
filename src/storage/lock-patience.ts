// A table that stays locked would keep every caller waiting until the limit of a statement. Once that has happened to one, the
// next callers of its kind wait a short time only, until nobody has waited in vain for a while.
import { AppError } from '../lib/errors.ts';
import type { WorkKind } from '../lib/work-kind.ts';
import { isRowWait, isTooSlow } from './faults.ts';

export type LockPatience = {
  /** Runs `work` with the limit for locks that holds for its kind now; without one, a statement waits as long as it may take. */
  run<T>(kind: WorkKind | undefined, work: (lockTimeoutMs: number | undefined) => Promise<T>): Promise<T>;
  /** Work of this kind waits in vain. */
  lose(kind: WorkKind): void;
};

const SHORT_WAIT_MS = 500;
/** Work of one kind may touch other tables, so that a success says nothing: only time does. */
const REMEMBERED_MS = 30_000;

/** `onLost`: work of this kind has waited in vain. */
export function lockPatience(onLost: (kind: WorkKind) => void): LockPatience {
  const shortUntil = new Map<string, number>();

  function lose(kind: WorkKind): void {
    shortUntil.set(kind.name, performance.now() + REMEMBERED_MS);
    onLost(kind);
  }

  return {
    lose,
    run: async (kind, work) => {
      // No caller waits for work in the background, and it would only run again.
      if (kind === undefined || kind.isBackground) return work(undefined);
      const isShort = performance.now() < (shortUntil.get(kind.name) ?? 0);
      try {
        return await work(isShort ? SHORT_WAIT_MS : undefined);
      } catch (error) {
        if (error instanceof AppError && isTooSlow(error.cause) && !isRowWait(error.cause)) lose(kind);
        throw error;
      }
    },
  };
}
