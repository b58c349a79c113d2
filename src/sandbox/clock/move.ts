// Moves the clock of a sandbox forward, and handles in order everything that becomes due until then.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Sweep } from '../../jobs/sweep.ts';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { SandboxClock } from './sandbox-clock.ts';

export type MoveClockDeps = {
  readonly clock: SandboxClock;
  readonly sweeps: readonly Sweep[];
  readonly runDueJobs: () => Promise<number>;
  /** True when no job runs on any node and none waits for its first attempt. Runs in the given transaction. */
  readonly hasNoJobs: (tx: Sql) => Promise<boolean>;
  readonly db: Database;
  readonly log: Log;
};

const MAX_STOPS = 1_000_000;
/** Work at one time may make more work due at the same time; this limits the rounds. */
const MAX_ROUNDS_A_STOP = 10_000;
/** A request takes time to arrive; a target this little in the past is accepted. */
const MAX_DELAY_MS = 5_000;
/** Well below the 120 s after which a move without a heartbeat expires. */
const HEARTBEAT_MS = 20_000;

/** Returns when everything due up to the target is done. Refuses a target in the past, and a clock that is being moved. */
export async function moveClock(deps: MoveClockDeps, moment: Date): Promise<Date> {
  const { db, clock, log } = deps;
  await clock.refresh();
  refuseToGoBack(clock, moment);
  const moveId = randomUUID();
  const isMine = await db.transaction(tx => clock.tryHalt(tx, moveId));
  if (!isMine) throw new AppError('wrong_state', 'The clock is being moved; try again shortly.');
  // Work that becomes due is not attributed to the caller who moves the clock.
  return withoutAuditContext(async () => {
    const heartbeat = setInterval(() => {
      clock
        .keepHalted(moveId)
        .catch(error => log.warn('the heartbeat of a clock move failed; the next one follows', { error }));
    }, HEARTBEAT_MS);
    try {
      await clock.refresh();
      // Another move may have ended in between.
      refuseToGoBack(clock, moment);
      const now = clock.now();
      return await passTime(deps, moveId, now, moment < now ? now : moment);
    } finally {
      clearInterval(heartbeat);
      await clock.resume(moveId);
    }
  });
}

function refuseToGoBack(clock: SandboxClock, moment: Date): void {
  if (moment.getTime() < clock.now().getTime() - MAX_DELAY_MS) {
    throw new AppError('wrong_state', 'Time moves forward only.');
  }
}

async function passTime(deps: MoveClockDeps, moveId: string, now: Date, target: Date): Promise<Date> {
  let at = now;
  await stopAt(deps, moveId, at);
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    // The clock stops where a bank or a chain is called, so that its answer is dated at that time.
    const next = await nextStopAt(deps, deps.db, target);
    // An overdue stop is handled now: the clock never goes back.
    at = new Date(Math.max(Number(next ?? target), Number(at)));
    await stopAt(deps, moveId, at);
    if (!next) return target;
  }
  assert.fail(`the clock did not reach its target within ${MAX_STOPS} stops`);
}

async function nextStopAt({ sweeps }: MoveClockDeps, sql: Sql, until: Date): Promise<Date | undefined> {
  const stops: Date[] = [];
  for (const sweep of sweeps) stops.push(...[(await sweep.nextStopAt(sql, until)) ?? []].flat());
  return stops.length > 0 ? new Date(Math.min(...stops.map(Number))) : undefined;
}

/** Halts the clock at a time and waits until everything due then is done, on any node. */
async function stopAt(deps: MoveClockDeps, moveId: string, moment: Date): Promise<void> {
  await deps.clock.haltAt(moveId, moment);
  for (let round = 0; round < MAX_ROUNDS_A_STOP; round++) {
    let swept = 0;
    for (const sweep of deps.sweeps) swept += await sweep.upTo(moment);
    if (round > 0 && swept === 0 && (await isIdle(deps, moment))) return;
    await deps.runDueJobs();
  }
  assert.fail(`work at one time did not end within ${MAX_ROUNDS_A_STOP} rounds`);
}

/**
 * Another node may have swept, and its jobs may wait or run: the clock must not move past them. A timer becomes a job,
 * and a job sets a timer, in one transaction; so in every snapshot, due work is visible as a timer or as a job.
 */
function isIdle(deps: MoveClockDeps, moment: Date): Promise<boolean> {
  return deps.db.transaction(
    async tx => (await deps.hasNoJobs(tx)) && (await nextStopAt(deps, tx, moment)) === undefined,
    { isSnapshot: true },
  );
}
