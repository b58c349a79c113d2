// Handles due timers of charges: overdue, expiry, settlement. The sweep takes them oldest first, in bounded batches; each
// batch is one short transaction without calls to a bank.
import type { Queue } from '../jobs/queue.ts';
import { type Sweep, sweepInBatches } from '../jobs/sweep.ts';
import { postEntries } from '../ledger/store.ts';
import type { Beat } from '../lib/loop.ts';
import type { Database, Sql } from '../storage/database.ts';
import { type Charge, isOrdered } from './charge.ts';
import { enqueueRetirement } from './issue/retire.ts';
import { expired, isUnpaid, overdue, type Step, settled } from './life.ts';
import { firstEnd } from './owed.ts';
import { settlementPostings } from './postings.ts';
import { RECONCILE } from './reconcile/reconcile.ts';
import { lockCharges } from './store/charges.ts';
import { findDueTimers, nextAwaitedAt, setTimers, type Timer, type TimerKind, takeTimers } from './store/timers.ts';
import { type WriteDeps, writeSteps } from './write.ts';

type Deps = WriteDeps & { readonly db: Database };

const STEPS = { overdue, expire: expired, settle: settled } as const satisfies Record<
  Exclude<TimerKind, 'reconcile'>,
  (charge: Charge, at: Date) => Step
>;

/** A moved sandbox clock stops only at timers that call a rail or advance an order. */
export function chargeSweep(deps: Deps): Sweep {
  return {
    name: 'timers of charges',
    upTo: (moment, beat) => sweepCharges(deps, moment, beat),
    nextStopAt: nextAwaitedAt,
  };
}

/** Handles all timers due up to a time, and returns their number. */
export async function sweepCharges(deps: Deps, until: Date, beat?: Beat): Promise<number> {
  // Most sweeps find nothing; this read then saves the transaction. It still sees a timer that another node is taking.
  if ((await findDueTimers(deps.db, until, 1)).length === 0) return 0;
  return sweepInBatches(deps.db, (tx, limit) => sweepBatch(deps, tx, until, limit), beat);
}

async function sweepBatch(deps: Deps, tx: Sql, until: Date, limit: number): Promise<number> {
  const due = await findDueTimers(tx, until, limit);
  if (due.length === 0) return 0;
  // Lock charges first, then their timers, in the order of all other transactions: this prevents deadlocks.
  const locked = await lockCharges(tx, [...new Set(due.map(timer => timer.chargeId))]);
  const charges = new Map(locked.map(charge => [charge.id, charge]));
  const timers = await takeTimers(tx, due, until);
  await enqueueLookups(deps.queue, tx, timers);
  await takeSteps(deps, tx, timers, charges);
  await awaitNextEnds(tx, timers, charges);
  return due.length;
}

/** If only one method has expired, the charge waits for the end of the other. */
async function awaitNextEnds(tx: Sql, timers: readonly Timer[], charges: ReadonlyMap<string, Charge>): Promise<void> {
  const next = timers.flatMap(timer => {
    const charge = timer.kind === 'expire' ? charges.get(timer.chargeId) : undefined;
    const at = charge && firstEnd(charge, charge.methods.filter(isUnpaid));
    return charge && at ? [{ ...timer, at, isAwaited: isOrdered(charge) }] : [];
  });
  await setTimers(tx, next);
}

async function takeSteps(deps: Deps, tx: Sql, timers: readonly Timer[], charges: Map<string, Charge>): Promise<void> {
  const steps = timers.flatMap(({ chargeId, kind, at }) => {
    const before = charges.get(chargeId);
    if (!before || kind === 'reconcile') return [];
    const step = STEPS[kind](before, at);
    charges.set(chargeId, step.after);
    return step.after === before ? [] : [{ before, step, at }];
  });
  await writeSteps(deps, tx, steps);
  await postEntries(tx, settlementPostings(steps));
  await enqueueRetirement(
    deps.queue,
    tx,
    steps.map(({ before, step }) => ({ before, after: step.after })),
  );
}

/** The rail is asked by a job, never inside the transaction of the sweep. */
async function enqueueLookups(queue: Queue, tx: Sql, timers: readonly Timer[]): Promise<void> {
  const lookups = timers.filter(({ kind }) => kind === 'reconcile');
  const jobs = lookups.map(({ accountId, chargeId }) => ({ accountId, chargeId }));
  await queue.enqueue(tx, RECONCILE, jobs);
}
