// Compares the day before with each bank's own record, every night, on one node. Differences are counted and logged; a
// person reads them with `trilho reconcile`.
import { isOutageOfOthers } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { Rails } from '../rails/rail.ts';
import { type CompareDeps, compareDay } from './compare-day.ts';
import { endComparison, takeComparison } from './store-compare-day.ts';
import { type WatchedRail, watchedRails } from './watch-rails.ts';

type DailyDeps = CompareDeps & { readonly rails: Rails; readonly log: Log };

const PAUSE_MS = 60_000;
/** After it another node compares, or this one again. */
const LEASE_MS = 30 * 60_000;

/** A long day may take minutes, so the loop has no heartbeat: a node that compares is ready. */
export function startComparingDays(deps: DailyDeps): { stop(): Promise<void> } {
  const task = async () => {
    await compareDueDays(deps);
  };
  return startLoop({ name: 'comparing days with the banks', task, pauseMs: PAUSE_MS, log: deps.log });
}

/** Compares one due day of each rail, and returns how many there were. */
export async function compareDueDays(deps: DailyDeps): Promise<number> {
  let count = 0;
  for (const watched of watchedRails(deps.rails)) if (await compareWhenDue(deps, watched)) count++;
  return count;
}

async function compareWhenDue(deps: DailyDeps, { rail, watch }: WatchedRail): Promise<boolean> {
  const { db, clock, log } = deps;
  const now = clock.now();
  const day = await takeComparison(db, rail, now, new Date(now.getTime() + LEASE_MS));
  if (day === undefined) return false;
  try {
    const { differences } = await compareDay(deps, rail, watch, day);
    await endComparison(db, rail, day, differences.length, clock.now());
    const count = differences.length;
    if (count === 0) log.info(`${day} was compared with the bank; nothing differs`, { rail: rail.name });
    else {
      log.warn(`${day} was compared with the bank; trilho reconcile names what differs`, { rail: rail.name, count });
    }
  } catch (error) {
    if (!isOutageOfOthers(error)) throw error;
    log.info(`${day} could not be compared with the bank; it is tried again`, { rail: rail.name, error });
  }
  return true;
}
