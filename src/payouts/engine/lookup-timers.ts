// Timers of lookups: enqueues a job for every payout whose lookup is due, in the transaction that clears its lookup time.
import { NETWORKS } from '../../chains/asset.ts';
import type { Queue } from '../../jobs/queue.ts';
import { type Sweep, sweepInBatches } from '../../jobs/sweep.ts';
import type { Beat } from '../../lib/loop.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { ADVANCE } from '../jobs.ts';
import { nextLookupAt, takeDueLookups } from '../store/due.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

/** A moved sandbox clock stops at every lookup, so that a result is dated when the chain shows it. */
export function lookupTimerSweep(deps: Deps): Sweep {
  return {
    name: 'timers of payouts',
    upTo: (moment, beat) => sweepPayouts(deps, moment, beat),
    nextStopAt: nextLookupAt,
  };
}

async function sweepPayouts({ db, queue }: Deps, until: Date, beat?: Beat): Promise<number> {
  // Most sweeps find nothing, and this read saves the transaction. It also sees payouts that another node is taking.
  if (!(await nextLookupAt(db, until))) return 0;
  return sweepInBatches(db, (tx, limit) => sweepBatch(queue, tx, until, limit), beat);
}

async function sweepBatch(queue: Queue, tx: Sql, until: Date, limit: number): Promise<number> {
  const due = await takeDueLookups(tx, until, limit);
  for (const network of NETWORKS) {
    const ids = due.filter(lookup => lookup.network === network);
    await queue.enqueue(
      tx,
      ADVANCE[network],
      ids.map(({ accountId, payoutId }) => ({ accountId, payoutId })),
    );
  }
  return due.length;
}
