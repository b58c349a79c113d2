// Handles due timers of orders: the end of a price, the credit of a boleto, the settlement day. Each becomes a job in the
// transaction that deletes its timer.

import type { Queue } from '../jobs/queue.ts';
import { type Sweep, sweepInBatches } from '../jobs/sweep.ts';
import type { Beat } from '../lib/loop.ts';
import type { Database, Sql } from '../storage/database.ts';
import { FOLLOW_ORDER } from './charge-follower.ts';
import { nextTimerAt, takeDueTimers } from './store-timers.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

/** Every timer of an order may call a chain or move money, so a moved sandbox clock stops at each. */
export function orderSweep(deps: Deps): Sweep {
  return { name: 'timers of orders', upTo: (moment, beat) => sweepOrders(deps, moment, beat), nextStopAt: nextTimerAt };
}

export async function sweepOrders({ db, queue }: Deps, until: Date, beat?: Beat): Promise<number> {
  // Most sweeps find nothing; this read then saves the transaction. It still sees a timer that another node is taking.
  if (!(await nextTimerAt(db, until))) return 0;
  return sweepInBatches(db, (tx, limit) => sweepBatch(queue, tx, until, limit), beat);
}

async function sweepBatch(queue: Queue, tx: Sql, until: Date, limit: number): Promise<number> {
  const due = await takeDueTimers(tx, until, limit);
  await queue.enqueue(
    tx,
    FOLLOW_ORDER,
    due.map(({ accountId, orderId }) => ({ accountId, orderId })),
  );
  return due.length;
}
