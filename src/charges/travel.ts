// The time machine of a sandbox: moves the one clock forward and does, in order, all that became due on the way.
import type { Queue } from '../jobs/queue.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import type { SharedClock } from '../storage/shared-clock.ts';
import { nextReconcileAt } from './store-timers.ts';
import { sweepCharges } from './sweep.ts';

export type TravelDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: SharedClock;
  readonly runDueJobs: () => Promise<number>;
};

const MAX_STOPS = 1_000_000;

/** Returns when everything up to the moment is done. Refuses to go back. */
export async function travelTo(deps: TravelDeps, moment: Date): Promise<Date> {
  await deps.clock.refresh();
  if (moment < deps.clock.now()) throw new AppError('wrong_state', 'Time moves forward only.');
  await deps.runDueJobs();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    // Where a bank is to be asked, time stands still until it has answered: money counts from when it came.
    const next = await nextReconcileAt(deps.db, moment);
    await arriveAt(deps, next ?? moment);
    if (!next) return deps.clock.now();
  }
  throw new Error('there is always something to wait for');
}

async function arriveAt(deps: TravelDeps, moment: Date): Promise<void> {
  await deps.db.transaction(tx => deps.clock.moveTo(tx, moment));
  await sweepCharges(deps, moment);
  await deps.runDueJobs();
}
