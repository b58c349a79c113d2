// Every night, on one node, takes the missing payments of the day before, then compares that day with each bank's own record. Remaining
// differences are counted and logged; a person reads them with `trilho reconcile`.
import { addDays, type CivilDay, momentOn } from '../../lib/civil-days.ts';
import { isOutageOfOthers } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Beat, startLoop } from '../../lib/loop.ts';
import type { Rails } from '../../rails/rails.ts';
import { type WatchedRail, watchedRails } from '../../rails/watched-rails.ts';
import { betweenSteps, whenDue } from '../../storage/leases.ts';
import type { ReceiptDeps } from '../receive/receipts.ts';
import { LONGEST_PAGE_MS, takeReceipts } from '../receive/watch-rails.ts';
import { endComparison, findDueDay, postponeComparison } from '../store/compare-day.ts';
import { type CompareDeps, compareDay } from './compare-day.ts';

export type DailyDeps = CompareDeps &
  ReceiptDeps & { readonly rails: Rails; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

const PAUSE_MS = 5_000;
/** Delay after a failed comparison. */
const RETRY_MS = 30 * 60_000;

/** A payment listed up to this many days late is still taken. */
const LATE_DAYS = 3;

export function startComparingDays(deps: DailyDeps): { stop(): Promise<void> } {
  return startLoop({
    name: 'comparing days with the banks',
    task: async (_signal, beat) => {
      await compareDueDays(deps, beat);
    },
    pauseMs: PAUSE_MS,
    longestRunMs: LONGEST_PAGE_MS,
    heartbeats: deps.heartbeats,
    log: deps.log,
  });
}

/** Compares one due day of each rail, and returns how many there were. */
export async function compareDueDays(deps: DailyDeps, beat?: Beat): Promise<number> {
  let count = 0;
  for (const watched of watchedRails(deps.rails)) if (await compareWhenDue(deps, watched, beat)) count++;
  return count;
}

async function compareWhenDue(deps: DailyDeps, watched: WatchedRail, beat: Beat | undefined): Promise<boolean> {
  const { db, clock } = deps;
  const { rail } = watched;
  const hasCompared = await whenDue(
    db,
    `compare ${rail.method} ${rail.name}`,
    () => findDueDay(db, rail, clock.now()),
    async (day, lost) => {
      await compareOrPostpone(deps, watched, day, lost, beat);
      return true;
    },
  );
  return hasCompared ?? false;
}

async function compareOrPostpone(
  deps: DailyDeps,
  watched: WatchedRail,
  day: CivilDay,
  lost: AbortSignal,
  beat: Beat | undefined,
): Promise<void> {
  const { rail } = watched;
  const { db, clock, log } = deps;
  try {
    await compare(deps, watched, day, betweenSteps(lost, beat));
  } catch (error) {
    lost.throwIfAborted();
    await postponeComparison(db, rail, day, new Date(clock.now().getTime() + RETRY_MS));
    if (!isOutageOfOthers(error)) throw error;
    log.info(`${day} could not be compared with the bank; it is retried`, { rail: rail.name, error });
  }
}

async function compare(deps: DailyDeps, watched: WatchedRail, day: CivilDay, afterStep: () => void): Promise<void> {
  const { rail } = watched;
  // A bank may list a payment long after its time, when polling no longer covers it.
  const from = momentOn(addDays(day, -LATE_DAYS));
  const times = { from, to: momentOn(addDays(day, 1)), keepFrom: momentOn(day) };
  await takeReceipts(deps, watched, times, afterStep);
  const { differences, unreadable } = await compareDay(deps, watched, day, afterStep);
  const count = differences.length + unreadable;
  await endComparison(deps.db, rail, day, count, deps.clock.now());
  const fields = { rail: rail.name };
  if (count === 0) deps.log.info(`${day} was compared with the bank; no differences`, fields);
  else deps.log.warn(`${day} was compared with the bank; trilho reconcile lists the differences`, { ...fields, count });
}
