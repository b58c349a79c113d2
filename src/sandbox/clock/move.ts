// Moves the clock of a sandbox forward, and handles in order everything that becomes due until then.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ISSUE } from '../../charges/issue/issue-job.ts';
import type { NewerJobs } from '../../jobs/queue.ts';
import type { Sweep } from '../../jobs/sweep.ts';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { laterOf } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { runOutsideTraces } from '../../lib/tracing.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { SandboxClock } from './sandbox-clock.ts';

export type MoveClockDeps = {
  readonly clock: SandboxClock;
  readonly sweeps: readonly Sweep[];
  readonly runDueJobs: (except: NewerJobs) => Promise<number>;
  /** True when no job runs on any node or waits for its first attempt, except newer ones. Runs in the transaction. */
  readonly hasNoJobs: (tx: Sql, except: NewerJobs) => Promise<boolean>;
  readonly db: Database;
  readonly log: Log;
  /** How long a move waits for earlier moves. */
  readonly turnLimitMs?: number | undefined;
};

const MAX_STOPS = 1_000_000;
/** Work at one time may make more work due at the same time; this limits the rounds. */
const MAX_ROUNDS_A_STOP = 10_000;
/** A request takes time to arrive; a target this little in the past is accepted. */
const MAX_DELAY_MS = 5_000;
/** Well below the time after which a move without a heartbeat expires. */
const HEARTBEAT_MS = 2_000;
/** A move whose node has died expires within that time. */
const TURN_LIMIT_MS = 30_000;
const LOOK_FOR_TURN_MS = 100;
/**
 * Callers who keep creating charges set timers that are due at once. After this many rounds in a row with nothing else to do a stop ends:
 * by then the work that was due when it began is done.
 */
const IDLE_ROUNDS = 5;

/** A move under way. */
type Move = {
  readonly id: string;
  /** Charges that callers create during the move; it does not wait for their registration. */
  readonly newer: NewerJobs;
};

/**
 * Returns when everything due up to the target is done. `targetFrom` returns the target once earlier moves have ended. Refuses a target in
 * the past, and gives up when earlier moves take too long.
 */
export async function moveClock(deps: MoveClockDeps, targetFrom: (now: Date) => Date): Promise<Date> {
  const { clock } = deps;
  await clock.refresh();
  refuseToGoBack(clock, targetFrom(clock.now()));
  const move = await takeTurn(deps);
  // Work that becomes due is not attributed to the caller who moves the clock.
  return runOutsideTraces(() => withoutAuditContext(() => takeMove(deps, move, targetFrom)));
}

async function takeMove(deps: MoveClockDeps, move: Move, targetFrom: (now: Date) => Date): Promise<Date> {
  const { clock, log } = deps;
  const heartbeat = setInterval(() => {
    clock
      .keepHalted(move.id)
      .catch(error => log.warn('the heartbeat of a clock move failed; the next one follows', { error }));
  }, HEARTBEAT_MS);
  try {
    await clock.refresh();
    const now = clock.now();
    const target = targetFrom(now);
    // Another move may have ended in between.
    refuseToGoBack(clock, target);
    return await passTime(deps, move, now, laterOf(target, now));
  } finally {
    clearInterval(heartbeat);
    await clock.resume(move.id);
  }
}

/** Halts the clock for this move; waits while another one is under way. */
async function takeTurn({ db, clock, turnLimitMs = TURN_LIMIT_MS }: MoveClockDeps): Promise<Move> {
  const id = randomUUID();
  const lastLookAt = Date.now() + turnLimitMs;
  for (;;) {
    const haltedSince = await db.transaction(tx => clock.tryHalt(tx, id));
    if (haltedSince) return { id, newer: { name: ISSUE.name, than: haltedSince } };
    if (Date.now() > lastLookAt) throw new AppError('wrong_state', 'The clock is being moved; try again shortly.');
    await wait(LOOK_FOR_TURN_MS);
  }
}

function refuseToGoBack(clock: SandboxClock, moment: Date): void {
  if (moment.getTime() < clock.now().getTime() - MAX_DELAY_MS) {
    throw new AppError('wrong_state', 'Time moves forward only.');
  }
}

async function passTime(deps: MoveClockDeps, move: Move, now: Date, target: Date): Promise<Date> {
  let at = now;
  await doDueWork(deps, move, at);
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    // The clock stops where a bank or a chain is called, so that its answer is dated at that time.
    const next = await nextStopAt(deps, deps.db, target);
    // An overdue stop is handled now: the clock never goes back.
    at = new Date(Math.max(Number(next ?? target), Number(at)));
    await deps.clock.haltAt(move.id, at);
    await doDueWork(deps, move, at);
    if (!next) return target;
  }
  assert.fail(`the clock did not reach its target within ${MAX_STOPS} stops`);
}

async function nextStopAt({ sweeps }: MoveClockDeps, sql: Sql, until: Date): Promise<Date | undefined> {
  const stops: Date[] = [];
  for (const sweep of sweeps) stops.push(...[(await sweep.nextStopAt(sql, until)) ?? []].flat());
  return stops.length > 0 ? new Date(Math.min(...stops.map(Number))) : undefined;
}

/** Waits until everything due at the time of the halted clock is done, on any node. */
async function doDueWork(deps: MoveClockDeps, move: Move, moment: Date): Promise<void> {
  let idleRounds = 0;
  for (let round = 0; round < MAX_ROUNDS_A_STOP; round++) {
    let swept = 0;
    for (const sweep of deps.sweeps) swept += await sweep.upTo(moment);
    const done = swept + (await deps.runDueJobs(move.newer));
    // A round that did something is followed by another, which handles the timers that it set.
    const mayBeIdle = done === 0 || round > 0;
    idleRounds = mayBeIdle && (await isIdle(deps, move, moment)) ? idleRounds + 1 : 0;
    if (idleRounds > 0 && (done === 0 || idleRounds === IDLE_ROUNDS)) return;
  }
  assert.fail(`work at one time did not end within ${MAX_ROUNDS_A_STOP} rounds`);
}

/**
 * Another node may have swept, and its jobs may wait or run: the clock must not move past them. A timer becomes a job,
 * and a job sets a timer, in one transaction; so in every snapshot, due work is visible as a timer or as a job.
 */
function isIdle(deps: MoveClockDeps, { newer }: Move, moment: Date): Promise<boolean> {
  return deps.db.transaction(
    async tx => (await deps.hasNoJobs(tx, newer)) && (await nextStopAt(deps, tx, moment)) === undefined,
    { isSnapshot: true },
  );
}
