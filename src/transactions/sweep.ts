// What time alone brings to orders: the end of a price, the settlement day, the next look at a chain. What is due becomes a
// job in the transaction that takes its timer away.
import type { JobName, Queue } from '../jobs/queue.ts';
import type { Sweep } from '../jobs/sweep.ts';
import type { Database, Sql } from '../storage/database.ts';
import { holdClock } from '../storage/shared-clock.ts';
import { nextTimerAt, type OrderTimerKind, takeDueTimers } from './store-timers.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

const BATCH_SIZE = 500;
const MAX_BATCHES = 100_000;

const JOBS = {
  expire: 'transaction.follow',
  settle: 'transaction.follow',
  look: 'transaction.fulfill',
} as const satisfies Record<OrderTimerKind, JobName>;

/** Every timer of an order is a moment at which something outside is asked, or money moves: time stops at each. */
export function orderSweep(deps: Deps): Sweep {
  return { upTo: moment => sweepOrders(deps, moment), nextStopAt: nextTimerAt };
}

export async function sweepOrders({ db, queue }: Deps, until: Date): Promise<number> {
  let swept = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const taken = await db.transaction(tx => sweepBatch(queue, tx, until));
    swept += taken;
    if (taken < BATCH_SIZE) break;
  }
  if (swept > 0) for (const name of new Set(Object.values(JOBS))) queue.nudge(name);
  return swept;
}

async function sweepBatch(queue: Queue, tx: Sql, until: Date): Promise<number> {
  await holdClock(tx);
  const due = await takeDueTimers(tx, until, BATCH_SIZE);
  for (const [name, timers] of Map.groupBy(due, ({ kind }) => JOBS[kind])) {
    const jobs = timers.map(({ accountId, transactionId }) => ({ accountId, transactionId }));
    await queue.enqueue(tx, name, jobs);
  }
  return due.length;
}
