// Records on the orders in line that they wait for a pause to end, and clears that when it has ended.
import type { Network } from '../chains/asset.ts';
import type { Clock } from '../lib/clock.ts';
import { coveringPause, type Pause, pausedSymbols, pauseMessage } from '../payouts/policy/pause.ts';
import type { Database } from '../storage/database.ts';
import { resumed, waiting } from './life.ts';
import { lockWaiting, readWronglyMarked } from './store-line.ts';
import { writeOrderStep } from './write.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Orders per transaction. */
const BATCH_SIZE = 200;

/** True when it wrote something, so that there may be more. */
export async function markPaused({ db, clock }: Deps, network: Network, pauses: readonly Pause[]): Promise<boolean> {
  const found = await readWronglyMarked(db, network, pausedSymbols(pauses, network), BATCH_SIZE);
  if (found.length === 0) return false;
  const now = clock.now();
  return db.transaction(async tx => {
    const standing = await lockWaiting(
      tx,
      found.map(({ id }) => id),
    );
    for (const order of standing) {
      const pause = coveringPause(pauses, order);
      const isMarked = order.hold?.reason === 'payouts_paused';
      if (pause && !isMarked) {
        const step = waiting(order, { reason: 'payouts_paused', message: pauseMessage(pause) }, now);
        if (step) await writeOrderStep(tx, order, step, now);
      }
      if (!pause && isMarked) await writeOrderStep(tx, order, resumed(order), now);
    }
    return standing.length > 0;
  });
}
