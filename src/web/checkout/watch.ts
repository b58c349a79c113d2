// Tells open checkouts that their charge has changed: one query serves all that wait on this node, and none is made while
// none waits.
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { Sql } from '../../storage/database.ts';
import { readVersions } from './store.ts';

export type Watcher = { readonly chargeId: string; tell(version: string): void };

export type CheckoutWatch = {
  /** Tells the version now and whenever it has changed; the returned function ends it. */
  add(watcher: Watcher): () => void;
  readonly size: () => number;
};

const LOOK_EVERY_MS = 500;
const LOOK_AFTER_FAILURE_MS = 2_000;

type Deps = { readonly db: Sql; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

export function watchCheckouts({ db, log, heartbeats }: Deps): CheckoutWatch {
  const watchers = new Map<Watcher, string | undefined>();
  let loop: Loop | undefined;

  async function look(): Promise<void> {
    const versions = await readVersions(db, [...new Set([...watchers.keys()].map(({ chargeId }) => chargeId))]);
    for (const [watcher, told] of watchers) {
      const version = versions.get(watcher.chargeId);
      if (version === undefined || version === told) continue;
      watchers.set(watcher, version);
      watcher.tell(version);
    }
  }

  return {
    size: () => watchers.size,
    add: watcher => {
      watchers.set(watcher, undefined);
      loop ??= startLoop({
        name: 'watching checkouts',
        task: look,
        pauseMs: LOOK_EVERY_MS,
        pauseAfterFailureMs: LOOK_AFTER_FAILURE_MS,
        heartbeats,
        log,
      });
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        loop?.stop();
        loop = undefined;
      };
    },
  };
}
