// Waits for the feed to grow: one query serves every stream on this node; without streams there is no query.
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Database } from '../storage/database.ts';
import { assignPositions, findHead } from './store-feed.ts';

export type FeedWatch = {
  /** Returns when the feed has grown beyond a position, or when the signal aborts. */
  waitBeyond(position: bigint, signal: AbortSignal): Promise<void>;
};

/** New events of this process wake the loop; those of other nodes wait at most this long. */
const LOOK_EVERY_MS = 100;
const LOOK_AFTER_FAILURE_MS = 1_000;

type Deps = { readonly db: Database; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

/** `name`: for whom the feed is watched. */
export function watchFeed({ db, log, heartbeats }: Deps, name: string): FeedWatch {
  const waiting = new Set<{ readonly position: bigint; wake(): void }>();
  let loop: Loop | undefined;

  async function look(): Promise<void> {
    await assignPositions(db);
    const { position } = await findHead(db);
    for (const waiter of waiting) if (waiter.position < position) waiter.wake();
  }

  function start(): Loop {
    return startLoop({
      name: `watching the event feed for ${name}`,
      task: look,
      pauseMs: LOOK_EVERY_MS,
      pauseAfterFailureMs: LOOK_AFTER_FAILURE_MS,
      heartbeats,
      log,
    });
  }

  return {
    waitBeyond: (position, signal) =>
      new Promise(resolve => {
        const waiter = { position, wake };
        function wake(): void {
          waiting.delete(waiter);
          signal.removeEventListener('abort', wake);
          if (waiting.size === 0) {
            loop?.stop();
            loop = undefined;
          }
          resolve();
        }
        if (signal.aborted) return resolve();
        signal.addEventListener('abort', wake);
        waiting.add(waiter);
        loop ??= start();
      }),
  };
}
