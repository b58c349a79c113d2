// Timers of claims: wakes the lines that are due, even if nothing has woken them.
import type { Queue } from '../../jobs/queue.ts';
import type { Sweep } from '../../jobs/sweep.ts';
import type { Database } from '../../storage/database.ts';
import { CLAIM } from '../jobs.ts';
import { nextClaimAt, takeDueClaims } from '../store/senders.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

export function claimTimerSweep({ db, queue }: Deps): Sweep {
  return {
    name: 'timers of claims',
    upTo: async moment => {
      // Most sweeps find nothing, and this read saves the transaction.
      if (!(await nextClaimAt(db, moment))) return 0;
      return db.transaction(async tx => {
        const networks = await takeDueClaims(tx, moment);
        for (const network of networks) await queue.enqueue(tx, CLAIM[network], [{ network }]);
        return networks.length;
      });
    },
    nextStopAt: nextClaimAt,
  };
}
