// Notifies open checkouts when their charge changes: one query serves all of this node; without an open checkout there is no query.
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { Sql } from '../../storage/database.ts';
import { readVersions } from './store.ts';

type CheckoutWatch = {
  /** Resolves with the version of a charge's page once it differs from the known one, or with the known one on the signal. */
  waitForOther(chargeId: string, known: string | undefined, signal: AbortSignal): Promise<string | undefined>;
};

type Waiter = {
  readonly chargeId: string;
  readonly known: string | undefined;
  end(version: string | undefined): void;
};

const LOOK_EVERY_MS = 500;
const LOOK_AFTER_FAILURE_MS = 2_000;

type Deps = { readonly db: Sql; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

export function watchCheckouts({ db, log, heartbeats }: Deps): CheckoutWatch {
  const waiting = new Set<Waiter>();
  let loop: Loop | undefined;

  async function look(): Promise<void> {
    const versions = await readVersions(db, [...new Set([...waiting].map(({ chargeId }) => chargeId))]);
    for (const { chargeId, known, end } of waiting) {
      const version = versions.get(chargeId);
      if (version !== undefined && version !== known) end(version);
    }
  }

  function start(): Loop {
    return startLoop({
      name: 'watching checkouts',
      task: look,
      pauseMs: LOOK_EVERY_MS,
      pauseAfterFailureMs: LOOK_AFTER_FAILURE_MS,
      heartbeats,
      log,
    });
  }

  return {
    waitForOther: (chargeId, known, signal) =>
      new Promise(resolve => {
        const giveUp = () => end(known);
        const waiter = { chargeId, known, end };
        function end(version: string | undefined): void {
          waiting.delete(waiter);
          signal.removeEventListener('abort', giveUp);
          if (waiting.size === 0) {
            loop?.stop();
            loop = undefined;
          }
          resolve(version);
        }
        if (signal.aborted) return resolve(known);
        signal.addEventListener('abort', giveUp);
        waiting.add(waiter);
        loop ??= start();
      }),
  };
}
