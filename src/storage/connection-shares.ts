// Divides the connections of the pool: work of one kind holds a few of them at a time, and the rest of it waits. So work that
// hangs on one locked table does not keep the connections from all other work, also when many kinds need that table.
import type { AppError } from '../lib/errors.ts';
import type { WorkKind } from '../lib/work-kind.ts';
import { noConnection } from './refusals.ts';

export type ConnectionShares = {
  /**
   * Refuses work as `overloaded` that has waited for its limit. Work without a kind does not wait, but counts. `setAside`: the
   * caller was refused and does not wait for the work. It still takes a connection, but the next of its kind does not wait for its end.
   */
  run<T>(kind: WorkKind | undefined, work: (setAside: () => void) => Promise<T>): Promise<T>;
  /** Refuses all work that waits, or what waits of one kind. */
  refuseWaiting(error: () => AppError, kind?: WorkKind): void;
};

type Waiter = { readonly start: () => void; readonly refuse: (error: AppError) => void };
type Share = { running: number; readonly waiting: Set<Waiter> };

type Limits = {
  readonly connections: number;
  /** How much of what the other kinds leave a kind may hold. One connection is never refused. */
  readonly share: number;
  readonly callerWaitMs: number;
  readonly backgroundWaitMs: number;
};

/**
 * A kind alone holds its full share; the more connections others hold, the fewer it may add. Every kind that has work has a
 * connection, so no kind waits for the end of another, and none starves.
 */
export function connectionShares(limits: Limits): ConnectionShares {
  const shares = new Map<string, Share>();
  let taken = 0;

  function mayStart({ running }: Share): boolean {
    const left = limits.connections - (taken - running);
    return running < Math.max(1, Math.floor(left * limits.share));
  }

  function start(share: Share): void {
    share.running++;
    taken++;
  }

  function turnOf(share: Share, waitLimitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (error: AppError) => {
        clearTimeout(limit);
        share.waiting.delete(waiter);
        reject(error);
      };
      const waiter: Waiter = {
        start: () => {
          clearTimeout(limit);
          share.waiting.delete(waiter);
          start(share);
          resolve();
        },
        refuse,
      };
      const limit = setTimeout(() => refuse(noConnection()), waitLimitMs);
      share.waiting.add(waiter);
    });
  }

  /** A connection that became free goes to the kind that holds the fewest of those that wait. */
  function startWaiting(): void {
    for (;;) {
      let next: Share | undefined;
      for (const share of shares.values()) {
        if (share.waiting.size > 0 && share.running < (next?.running ?? Infinity)) next = share;
      }
      if (!next || !mayStart(next)) return;
      const [first] = next.waiting;
      first!.start();
    }
  }

  function shareOf(name: string): Share {
    const share = shares.get(name) ?? { running: 0, waiting: new Set() };
    shares.set(name, share);
    return share;
  }

  return {
    run: async (kind, work) => {
      const share = kind === undefined ? { running: 0, waiting: new Set<Waiter>() } : shareOf(kind.name);
      if (kind === undefined || mayStart(share)) start(share);
      else await turnOf(share, kind.isBackground ? limits.backgroundWaitMs : limits.callerWaitMs);
      let isAside = false;
      const setAside = () => {
        if (isAside) return;
        isAside = true;
        share.running--;
        if (kind !== undefined && share.running === 0 && share.waiting.size === 0) shares.delete(kind.name);
        startWaiting();
      };
      try {
        return await work(setAside);
      } finally {
        taken--;
        setAside();
        startWaiting();
      }
    },

    refuseWaiting: (error, kind) => {
      for (const [name, { waiting }] of shares) {
        if (kind === undefined || kind.name === name) for (const { refuse } of [...waiting]) refuse(error());
      }
    },
  };
}
