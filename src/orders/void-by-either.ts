// Gives up a transfer by the id of its payout or of its order; a cold sweep has no order.
import { AppError } from '../lib/errors.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { isUnmined, type Payout } from '../payouts/payout.ts';
import { findPayoutByEither } from '../payouts/store/list.ts';
import { findPayout, requestVoid } from '../payouts/store/payouts.ts';
import { lockPayouts } from '../payouts/store/sweeps.ts';
import type { FollowDeps } from './follow.ts';
import { voidPayout } from './void.ts';

type Deps = Pick<FollowDeps, 'db' | 'queue' | 'clock'>;

/** Like `voidPayout`. Returns the payout afterwards. */
export async function voidByEither(deps: Deps, id: string, accountId?: string): Promise<Payout> {
  const found = await findPayoutByEither(deps.db, id, accountId);
  if (!found) throw new AppError('not_found', 'There is no such payout.');
  if (found.orderId === undefined) await voidColdSweep(deps, found);
  else await voidPayout(deps, found.orderId, accountId);
  return (await findPayout(deps.db, found.id, found.accountId)) ?? found;
}

async function voidColdSweep({ db, queue, clock }: Deps, { id, accountId }: Payout): Promise<void> {
  await db.transaction(async tx => {
    await lockPayouts(tx, [{ id }]);
    const sweep = await findPayout(tx, id, accountId);
    if (!sweep || !isUnmined(sweep)) {
      throw new AppError('wrong_state', 'This payout has no transfer waiting for a block.');
    }
    if (sweep.voidRequestedAt && !sweep.unsignedReason) return;
    await requestVoid(tx, sweep, clock.now());
    await queue.enqueue(tx, ADVANCE[sweep.network], [{ accountId, payoutId: id }]);
  });
}
