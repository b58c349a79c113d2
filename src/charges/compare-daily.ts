// Takes what is missing of the day before and compares it with each bank's own record, every night, on one node. What still differs
// is counted and logged; a person reads it with `trilho reconcile`.
import { addDays, type CivilDay, momentOn } from '../lib/civil-days.ts';
import { isOutageOfOthers } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { Rails } from '../rails/rails.ts';
import { type WatchedRail, watchedRails } from '../rails/watched-rails.ts';
import { keepTurn, renewal, turnEnd } from '../storage/turns.ts';
import { type CompareDeps, compareDay } from './compare-day.ts';
import type { ReceiptDeps } from './receipts.ts';
import { endComparison, postponeComparison, renewComparison, takeComparison } from './store-compare-day.ts';
import { takeReceipts } from './watch-rails.ts';

type DailyDeps = CompareDeps &
  ReceiptDeps & { readonly rails: Rails; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

const PAUSE_MS = 5_000;
/** After a comparison that failed. */
const RETRY_MS = 30 * 60_000;

/** A payment that its bank lists so many days late is still taken. */
const LATE_DAYS = 3;

export function startComparingDays(deps: DailyDeps): { stop(): Promise<void> } {
  const task = async () => {
    await compareDueDays(deps);
  };
  return startLoop({
    name: 'comparing days with the banks',
    task,
    pauseMs: PAUSE_MS,
    // A long day of several banks may take an hour: a node that compares is ready.
    longestRunMs: Number.POSITIVE_INFINITY,
    heartbeats: deps.heartbeats,
    log: deps.log,
  });
}

/** Compares one due day of each rail, and returns how many there were. */
export async function compareDueDays(deps: DailyDeps): Promise<number> {
  let count = 0;
  for (const watched of watchedRails(deps.rails)) if (await compareWhenDue(deps, watched)) count++;
  return count;
}

async function compareWhenDue(deps: DailyDeps, watched: WatchedRail): Promise<boolean> {
  const { rail } = watched;
  const { db, clock, log } = deps;
  const until = turnEnd(clock);
  const day = await takeComparison(db, rail, clock.now(), until);
  if (day === undefined) return false;
  try {
    const renew = renewal(clock, until, (from, to) => renewComparison(db, rail, from, to));
    await keepTurn(renew, () => compare(deps, watched, day));
  } catch (error) {
    await postponeComparison(db, rail, day, new Date(clock.now().getTime() + RETRY_MS));
    if (!isOutageOfOthers(error)) throw error;
    log.info(`${day} could not be compared with the bank; it is tried again`, { rail: rail.name, error });
  }
  return true;
}

async function compare(deps: DailyDeps, watched: WatchedRail, day: CivilDay): Promise<void> {
  const { rail } = watched;
  // A bank may list a payment long after its time, when no regular look asks for that time any more.
  await takeReceipts(deps, watched, {
    from: momentOn(addDays(day, -LATE_DAYS)),
    to: momentOn(addDays(day, 1)),
    keepFrom: momentOn(day),
  });
  const { differences, unreadable } = await compareDay(deps, watched, day);
  const count = differences.length + unreadable;
  await endComparison(deps.db, rail, day, count, deps.clock.now());
  const fields = { rail: rail.name };
  if (count === 0) deps.log.info(`${day} was compared with the bank; nothing differs`, fields);
  else deps.log.warn(`${day} was compared with the bank; trilho reconcile names what differs`, { ...fields, count });
}
