// What time alone brings: overdue, expiry, settlement. The sweep takes what is due, oldest first, in bounded batches; each
// batch is one short transaction, and no bank is asked inside it.
import type { Queue } from '../jobs/queue.ts';
import type { Sweep } from '../jobs/sweep.ts';
import { postEntries } from '../ledger/store.ts';
import type { Database, Sql } from '../storage/database.ts';
import { holdClock } from '../storage/shared-clock.ts';
import type { LivingCharge } from './charge.ts';
import { expired, overdue, type Step, settled } from './life.ts';
import { settlementPostings } from './postings.ts';
import { enqueueRetirement } from './retire.ts';
import { lockCharges } from './store.ts';
import { findDueTimers, nextAwaitedAt, type Timer, type TimerKind, takeTimers } from './store-timers.ts';
import { writeSteps } from './write.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

const BATCH_SIZE = 500;
const MAX_BATCHES = 100_000;

const STEPS = { overdue, expire: expired, settle: settled } as const satisfies Record<
  Exclude<TimerKind, 'reconcile'>,
  (charge: LivingCharge) => Step
>;

/** Most passes by itself; where a bank is to be asked, or an order waits, time must stop. */
export function chargeSweep(deps: Deps): Sweep {
  return { upTo: moment => sweepCharges(deps, moment), nextStopAt: nextAwaitedAt };
}

/** Does all that is due up to a moment, and returns how many timers that were. */
export async function sweepCharges(deps: Deps, until: Date): Promise<number> {
  let swept = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const taken = await deps.db.transaction(tx => sweepBatch(deps.queue, tx, until));
    swept += taken;
    if (taken < BATCH_SIZE) return swept;
  }
  throw new Error('timers keep making timers');
}

async function sweepBatch(queue: Queue, tx: Sql, until: Date): Promise<number> {
  // What is due is done in order.
  await holdClock(tx);
  const due = await findDueTimers(tx, until, BATCH_SIZE);
  // Charges first, then their timers, as everybody does: nobody waits for somebody who waits for them.
  const locked = await lockCharges(tx, [...new Set(due.map(timer => timer.chargeId))]);
  const charges = new Map(locked.map(charge => [charge.id, charge]));
  const timers = await takeTimers(tx, due);
  await enqueueLooks(queue, tx, timers);
  await takeSteps(queue, tx, timers, charges);
  return due.length;
}

async function takeSteps(
  queue: Queue,
  tx: Sql,
  timers: readonly Timer[],
  charges: Map<string, LivingCharge>,
): Promise<void> {
  const steps = timers.flatMap(({ chargeId, kind, at }) => {
    const before = charges.get(chargeId);
    if (!before || kind === 'reconcile') return [];
    const step = STEPS[kind](before);
    charges.set(chargeId, step.after);
    return step.after === before ? [] : [{ before, step, at }];
  });
  await writeSteps({ queue }, tx, steps);
  await postEntries(tx, settlementPostings(steps));
  await enqueueRetirement(
    queue,
    tx,
    steps.map(({ before, step }) => ({ before, after: step.after })),
  );
}

/** A bank is asked by a job, never inside a transaction. */
async function enqueueLooks(queue: Queue, tx: Sql, timers: readonly Timer[]): Promise<void> {
  const looks = timers.filter(({ kind }) => kind === 'reconcile');
  const jobs = looks.map(({ accountId, chargeId }) => ({ accountId, chargeId }));
  if (jobs.length > 0) await queue.enqueue(tx, 'charge.reconcile', jobs);
}
