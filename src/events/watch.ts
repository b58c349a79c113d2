// Waiting for the feed to grow: one look at the database serves everybody who waits on this node, and nobody looks while
// nobody waits.
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { findHead, placeEvents } from './store-feed.ts';

export type FeedWatch = {
  /** Returns when the feed has grown beyond a position, or when the signal says so. */
  waitBeyond(position: bigint, signal: AbortSignal): Promise<void>;
};

const LOOK_EVERY_MS = 100;
const LOOK_AFTER_FAULT_MS = 1_000;

export function watchFeed({ db, log }: { db: Database; log: Log }): FeedWatch {
  const waiting = new Set<{ readonly position: bigint; wake(): void }>();
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      try {
        await placeEvents(db);
        const { position } = await findHead(db);
        for (const waiter of waiting) if (waiter.position < position) waiter.wake();
        await wait(LOOK_EVERY_MS);
      } catch (error) {
        log.warn('the event feed cannot be read and will be tried again', { error });
        await wait(LOOK_AFTER_FAULT_MS);
      }
    }
    isLooking = false;
  }

  return {
    waitBeyond: (position, signal) =>
      new Promise(resolve => {
        const waiter = { position, wake };
        function wake(): void {
          waiting.delete(waiter);
          signal.removeEventListener('abort', wake);
          resolve();
        }
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', wake);
        waiting.add(waiter);
        if (!isLooking) look();
      }),
  };
}
