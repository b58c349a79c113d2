// Keeps a stock of free locations for the rails that want one: requests them from the bank, one node at a time for each rail. A location
// is saved before a charge can have it; one lost before it is saved is never used.
import type { Clock } from '../../lib/clock.ts';
import { isOutageOfOthers } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Beat, startLoop } from '../../lib/loop.ts';
import type { LocationSource, Rail } from '../../rails/rail.ts';
import { currentRails, type Rails } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { whenDue } from '../../storage/leases.ts';
import { countFree, endFill, insertLocation, isFillDue, type LocationWish } from '../store/locations.ts';

export type FillDeps = {
  readonly db: Database;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
};

const PAUSE_MS = 1_000;
const FILL_EVERY_MS = 5_000;
/** The pause after a run in which the bank gave no location. */
const RETRY_AFTER_MS = 30_000;
/** Locations of each kind per run. */
const MAX_TAKEN = 100;
/** Concurrent calls; few, since charges need the same PSP. */
const AT_ONCE = 4;

type FilledRail = { readonly rail: Rail; readonly locations: LocationSource };

export function startFillingLocations(deps: FillDeps): { stop(): Promise<void> } {
  const loops = filledRails(deps.rails).map(filled =>
    startLoop({
      name: `taking locations of ${filled.rail.name}`,
      task: async (signal, beat) => {
        await fillWhenDue(deps, filled, { signal, beat });
      },
      pauseMs: PAUSE_MS,
      heartbeats: deps.heartbeats,
      log: deps.log,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

/** Refills the locations of every rail that is due, and returns how many were added. */
export async function fillLocations(deps: FillDeps): Promise<number> {
  const taken = await Promise.all(filledRails(deps.rails).map(filled => fillWhenDue(deps, filled)));
  return taken.reduce((sum, count) => sum + count, 0);
}

function filledRails(rails: Rails): FilledRail[] {
  return currentRails(rails).flatMap(rail => (rail.locations ? { rail, locations: rail.locations } : []));
}

export type FreeCount = LocationWish & { readonly count: number };

/** The free locations of every rail that keeps some, each counted up to a limit. */
export async function countFreeOf(sql: Sql, rails: Rails, limit: number): Promise<FreeCount[]> {
  const counts: FreeCount[] = [];
  for (const { rail, locations } of filledRails(rails)) {
    for (const kind of locations.kinds) {
      counts.push({ rail: rail.name, kind, count: await countFree(sql, { rail: rail.name, kind }, limit) });
    }
  }
  return counts;
}

/** `signal`: takes no more from then on. */
type Run = { readonly signal: AbortSignal; readonly beat?: Beat };

async function fillWhenDue(deps: FillDeps, filled: FilledRail, run?: Run): Promise<number> {
  const { db, clock } = deps;
  const { rail } = filled;
  const taken = await whenDue(
    db,
    `fill ${rail.method} ${rail.name}`,
    () => isFillDue(db, rail, clock.now()),
    (_due, lost) => fillOrPostpone(deps, filled, lost, run),
  );
  return taken ?? 0;
}

async function fillOrPostpone(
  deps: FillDeps,
  filled: FilledRail,
  lost: AbortSignal,
  run: Run | undefined,
): Promise<number> {
  const { db, clock, log } = deps;
  const { rail } = filled;
  const endIn = (ms: number) => endFill(db, rail, new Date(clock.now().getTime() + ms));
  try {
    const signal = run ? AbortSignal.any([run.signal, lost]) : lost;
    const taken = await fill(deps, filled, { ...run, signal });
    lost.throwIfAborted();
    await endIn(FILL_EVERY_MS);
    return taken;
  } catch (error) {
    lost.throwIfAborted();
    await endIn(RETRY_AFTER_MS);
    if (!isOutageOfOthers(error)) throw error;
    log.info('the bank gave no location; it is retried', { rail: rail.name, error });
    return 0;
  }
}

async function fill(deps: FillDeps, filled: FilledRail, run: Run): Promise<number> {
  let taken = 0;
  for (const kind of filled.locations.kinds) taken += await fillKind(deps, filled, kind, run);
  return taken;
}

async function fillKind(
  deps: FillDeps,
  { rail, locations }: FilledRail,
  kind: string,
  { signal, beat }: Run,
): Promise<number> {
  const wish = { rail: rail.name, kind };
  const missing = Math.min(locations.keep - (await countFree(deps.db, wish, locations.keep)), MAX_TAKEN);
  for (let taken = 0; taken < missing; taken += AT_ONCE) {
    if (signal.aborted) return taken;
    const results = await Promise.allSettled(
      Array.from({ length: Math.min(AT_ONCE, missing - taken) }, async () => {
        const location = await locations.take(kind);
        if (await insertLocation(deps.db, wish, location, deps.clock.now())) return;
        deps.log.warn('the bank gave a location that it had given before; it is not used again', { rail: rail.name });
      }),
    );
    // The first failure is thrown only after all calls have ended, so that nothing is written after the lease.
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    beat?.();
  }
  return Math.max(missing, 0);
}
