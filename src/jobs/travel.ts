// The time machine of a sandbox: moves the one clock forward and does, in order, all that became due on the way.
import { randomUUID } from 'node:crypto';
import { apart } from '../lib/act.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { SharedClock } from '../storage/shared-clock.ts';
import type { Queue } from './queue.ts';
import type { Sweep } from './sweep.ts';

export type TravelDeps = {
  readonly clock: SharedClock;
  readonly sweeps: readonly Sweep[];
  readonly runDueJobs: () => Promise<number>;
  readonly queue: Queue;
  readonly db: Database;
  readonly log: Log;
};

const MAX_STOPS = 1_000_000;
/** What was done at a moment may make more due at it, so often at most. */
const MAX_ROUNDS_A_STOP = 10_000;
/** The time a request takes on its way is not time travel. */
const ON_THE_WAY_MS = 5_000;
/** Much more often than a mover is taken for dead. */
const HEARTBEAT_MS = 20_000;

/** Returns when everything up to the moment is done. Refuses to go back, and to move a clock that is being moved. */
export async function travelTo(deps: TravelDeps, moment: Date): Promise<Date> {
  const { db, clock, log } = deps;
  await clock.refresh();
  refuseToGoBack(clock, moment);
  const mover = randomUUID();
  const isMine = await db.transaction(tx => clock.tryHalt(tx, mover));
  if (!isMine) throw new AppError('wrong_state', 'The clock is being moved; try again shortly.');
  const heart = setInterval(() => {
    clock.keepHalted(mover).catch(error => log.warn('a halted clock could not be kept so', { error }));
  }, HEARTBEAT_MS);
  try {
    await clock.refresh();
    // Another journey may have ended in between.
    refuseToGoBack(clock, moment);
    const now = clock.now();
    // From here on it is time's doing, not the traveller's.
    return await apart(() => passTime(deps, mover, now, moment < now ? now : moment));
  } finally {
    clearInterval(heart);
    await clock.resume(mover);
  }
}

function refuseToGoBack(clock: SharedClock, moment: Date): void {
  if (moment.getTime() < clock.now().getTime() - ON_THE_WAY_MS) {
    throw new AppError('wrong_state', 'Time moves forward only.');
  }
}

async function passTime(deps: TravelDeps, mover: string, now: Date, target: Date): Promise<Date> {
  let at = now;
  await stopAt(deps, mover, at);
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    // Where a bank or a chain is to be asked, time stands still until it has answered: what it says counts from then.
    const next = await nextStopAt(deps, deps.db, target);
    // What should have been done before is done now: time does not go back for it.
    at = new Date(Math.max(Number(next ?? target), Number(at)));
    await stopAt(deps, mover, at);
    if (!next) return target;
  }
  throw new Error('there is always something to wait for');
}

async function nextStopAt({ sweeps }: TravelDeps, sql: Sql, until: Date): Promise<Date | undefined> {
  const stops: Date[] = [];
  for (const sweep of sweeps) stops.push(...[(await sweep.nextStopAt(sql, until)) ?? []].flat());
  return stops.length > 0 ? new Date(Math.min(...stops.map(Number))) : undefined;
}

/** Lets time stand still at a moment and does all that is due then, whichever node does it. */
async function stopAt(deps: TravelDeps, mover: string, moment: Date): Promise<void> {
  await deps.clock.haltAt(mover, moment);
  for (let round = 0; round < MAX_ROUNDS_A_STOP; round++) {
    let swept = 0;
    for (const sweep of deps.sweeps) swept += await sweep.upTo(moment);
    if (round > 0 && swept === 0 && (await isQuiet(deps, moment))) return;
    await deps.runDueJobs();
  }
  throw new Error('what is done now keeps making more');
}

/**
 * Another node may have swept, and its jobs may be new or under way: time must not leave them behind. A timer becomes a job,
 * and a job sets a timer, in one transaction; so at no moment is what is due neither the one nor the other.
 */
function isQuiet(deps: TravelDeps, moment: Date): Promise<boolean> {
  return deps.db.transaction(
    async tx => (await deps.queue.isIdle(tx)) && (await nextStopAt(deps, tx, moment)) === undefined,
    { isSnapshot: true },
  );
}
