// Gives up the slot of an own transfer that no block has.
import type { Queue } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { ADVANCE } from '../jobs.ts';
import { isUnmined, type Payout } from '../payout.ts';
import { lockPayouts } from '../store/cold-sweeps.ts';
import { findPayout, requestVoid } from '../store/payouts.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

/** From the commit on no transfer is signed for it. Refuses one that a block has. A repeat changes nothing. */
export async function voidOwnTransfer({ db, queue, clock }: Deps, { id, accountId }: Payout): Promise<void> {
  await db.transaction(async tx => {
    await lockPayouts(tx, [{ id }]);
    const own = await findPayout(tx, id, accountId);
    if (!own || !isUnmined(own)) {
      throw new AppError('wrong_state', 'This payout has no transfer waiting for a block.');
    }
    if (own.voidRequestedAt && !own.unsignedReason) return;
    await requestVoid(tx, own, clock.now());
    await queue.enqueue(tx, ADVANCE[own.network], [{ accountId, payoutId: id }]);
  });
}
