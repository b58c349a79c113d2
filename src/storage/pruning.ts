// Removes old rows in small steps. Each noun declares its step; one node at a time runs them.
import { setTimeout as wait } from 'node:timers/promises';
import { DAY_MS } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { type Duration, subtractDuration } from '../lib/date-times.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { Database, Sql } from './database.ts';
import { withLease } from './leases.ts';

/** How many rows a step removed, and where the next one continues; without `next`, nothing more can be removed now. */
export type PruneStep = { readonly removed: number; readonly next?: string | undefined };

export type Prune = {
  /** The kind of rows, as in the metrics. */
  readonly kind: string;
  readonly keep: Duration | 'forever';
  /** Removes some of what is older than a moment, in a short transaction. */
  step(db: Database, before: Date, from: string | undefined): Promise<PruneStep>;
  /** When the oldest removable row was written; bounded work at any size. */
  oldest(sql: Sql): Promise<Date | undefined>;
};

type PruneDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly prunes: readonly Prune[];
  readonly observePruned: (pruned: { readonly kind: string; readonly count: number }) => void;
};

/** Events are archived and removed by whole days, in UTC. */
export function startOfDay(at: Date): Date {
  return new Date(at.getTime() - (at.getTime() % DAY_MS));
}

/** Rows that a step examines. */
export const PRUNE_BATCH_SIZE = 500;
/** Steps for one kind in one run. */
const MAX_STEPS = 100;
const RUN_EVERY_MS = 60_000;
const SOON_MS = 5_000;

type Pace = {
  /** Between two steps. */
  readonly pauseMs?: number;
  /** After this time the next kind follows. */
  readonly kindMs?: number;
  readonly signal?: AbortSignal;
};

/** In the background other work comes first, and no kind delays the others for long. */
const BACKGROUND_PACE: Pace = { pauseMs: 50, kindMs: 10_000 };

/** Removed rows, whether a kind has more to remove, and kinds that failed. */
type Pruned = {
  readonly removed: number;
  readonly hasMore: boolean;
  readonly failed: readonly string[];
  readonly isLeasedByOther?: boolean;
};

/**
 * Removes old rows, kind by kind. Does nothing while another node does it. A kind that fails is logged and retried in the next run; the
 * others continue.
 */
export async function pruneDue(deps: PruneDeps, pace: Pace = {}): Promise<Pruned> {
  const pruned = await withLease(deps.db, 'prune', lost =>
    pruneAll(deps, { ...pace, signal: pace.signal ? AbortSignal.any([pace.signal, lost]) : lost }),
  );
  return pruned ?? { removed: 0, hasMore: false, failed: [], isLeasedByOther: true };
}

async function pruneAll(deps: PruneDeps, { pauseMs = 0, kindMs, signal }: Pace): Promise<Pruned> {
  const { clock, prunes } = deps;
  const due = prunes.flatMap(prune => (prune.keep === 'forever' ? [] : { prune, keep: prune.keep }));
  let removed = 0;
  let hasMore = false;
  const failed: string[] = [];
  for (const { prune, keep } of due) {
    let from: string | undefined;
    const before = removed;
    const endMs = performance.now() + (kindMs ?? Number.POSITIVE_INFINITY);
    for (let step = 0; step < MAX_STEPS && performance.now() < endMs && !signal?.aborted; step++) {
      const done = await tryStep(deps, prune, subtractDuration(clock.now(), keep), from);
      removed += done.removed;
      if (done.hasFailed) failed.push(prune.kind);
      from = done.next;
      if (from === undefined) break;
      if (pauseMs > 0) await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
    // Rows that are still needed may fill a whole run: when nothing was removed, there is no hurry.
    hasMore ||= from !== undefined && removed > before;
  }
  return { removed, hasMore, failed };
}

async function tryStep(
  { db, log, observePruned }: PruneDeps,
  { kind, step }: Prune,
  before: Date,
  from: string | undefined,
): Promise<PruneStep & { readonly hasFailed?: boolean }> {
  try {
    const done = await step(db, before, from);
    if (done.removed > 0) observePruned({ kind, count: done.removed });
    return done;
  } catch (error) {
    log.error(`old ${kind} were not removed; the next run retries`, { error });
    return { removed: 0, hasFailed: true };
  }
}

type LoopDeps = PruneDeps & {
  readonly heartbeats?: Heartbeats | undefined;
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

export function startPruning(deps: LoopDeps): Loop {
  const { heartbeats, log, beforeWork } = deps;
  const loop = startLoop({
    name: 'removing old rows',
    task: async signal => {
      await beforeWork?.();
      const { hasMore, failed, isLeasedByOther } = await pruneDue(deps, { ...BACKGROUND_PACE, signal });
      // A backlog is worked off in consecutive runs; another node soon takes over from a dead one.
      if (hasMore || isLeasedByOther) setTimeout(loop.wake, SOON_MS).unref();
      // So that the loop counts as failing.
      if (failed.length > 0) throw new Error(`not removed: ${failed.join(', ')}`);
    },
    pauseMs: RUN_EVERY_MS,
    // An archive on a hanging disk must not make a node unready.
    longestRunMs: Number.POSITIVE_INFINITY,
    heartbeats,
    log,
  });
  return loop;
}
