// Handles due timers of orders: the end of a price, the credit of a boleto, the settlement day. Each becomes a job in the
// transaction that deletes its timer.
import { FOLLOW_ORDER } from '../charges/wake-order.ts';
import type { Queue } from '../jobs/queue.ts';
import { lockSweeps, type Sweep } from '../jobs/sweep.ts';
import type { Database, Sql } from '../storage/database.ts';
import { nextTimerAt, takeDueTimers } from './store-timers.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

const BATCH_SIZE = 500;
const MAX_BATCHES = 100_000;

/** At every timer of an order a chain may be called or money may move, so a moved sandbox clock stops at each. */
export function orderSweep(deps: Deps): Sweep {
  return { upTo: moment => sweepOrders(deps, moment), nextStopAt: nextTimerAt };
}

export async function sweepOrders({ db, queue }: Deps, until: Date): Promise<number> {
  // Most sweeps find nothing; this read then saves the transaction. It still sees a timer that another node is taking.
  if (!(await nextTimerAt(db, until))) return 0;
  let swept = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const taken = await db.transaction(tx => sweepBatch(queue, tx, until));
    swept += taken;
    if (taken < BATCH_SIZE) break;
  }
  return swept;
}

async function sweepBatch(queue: Queue, tx: Sql, until: Date): Promise<number> {
  await lockSweeps(tx);
  const due = await takeDueTimers(tx, until, BATCH_SIZE);
  await queue.enqueue(
    tx,
    FOLLOW_ORDER,
    due.map(({ accountId, orderId }) => ({ accountId, orderId })),
  );
  return due.length;
}
