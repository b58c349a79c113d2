// Divides the connections of the pool: work of one kind holds a few of them at a time, and the rest of it waits. So work that
// hangs on one locked table does not keep the connections from all other work.
import { AppError } from '../lib/errors.ts';
import type { WorkKind } from '../lib/work-kind.ts';

export type ConnectionShares = <T>(kind: WorkKind | undefined, work: () => Promise<T>) => Promise<T>;

type Share = { running: number; readonly waiting: Set<() => void> };

type Limits = { readonly max: number; readonly callerWaitMs: number; readonly backgroundWaitMs: number };

/** Refuses work as `overloaded` that has waited for its limit. Work without a kind does not wait. */
export function connectionShares({ max, callerWaitMs, backgroundWaitMs }: Limits): ConnectionShares {
  const shares = new Map<string, Share>();

  async function take({ name, isBackground }: WorkKind): Promise<Share> {
    const share = shares.get(name) ?? { running: 0, waiting: new Set() };
    shares.set(name, share);
    if (share.running < max) share.running++;
    else await turnIn(share, isBackground ? backgroundWaitMs : callerWaitMs);
    return share;
  }

  function turnIn({ waiting }: Share, waitLimitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        clearTimeout(limit);
        resolve();
      };
      const limit = setTimeout(() => {
        waiting.delete(turn);
        reject(new AppError('overloaded', 'No database connection became free in time; try again shortly.'));
      }, waitLimitMs);
      waiting.add(turn);
    });
  }

  function give({ name }: WorkKind, share: Share): void {
    const [next] = share.waiting;
    if (next) {
      // It takes over the place.
      share.waiting.delete(next);
      next();
    } else if (--share.running === 0) shares.delete(name);
  }

  return async (kind, work) => {
    if (kind === undefined) return work();
    const share = await take(kind);
    try {
      return await work();
    } finally {
      give(kind, share);
    }
  };
}
