// Gives up a transfer by the id of its payout or of its order; an own transfer has no order.
import { requireFound } from '../lib/errors.ts';
import { voidOwnTransfer } from '../payouts/own-transfers/void.ts';
import type { Payout } from '../payouts/payout.ts';
import { findPayoutByEither } from '../payouts/store/list.ts';
import { findPayout } from '../payouts/store/payouts.ts';
import type { FollowDeps } from './follow.ts';
import { voidPayout } from './void.ts';

type Deps = Pick<FollowDeps, 'db' | 'queue' | 'clock'>;

/** Like `voidPayout`. Returns the payout afterwards. */
export async function voidByEither(deps: Deps, id: string, accountId?: string): Promise<Payout> {
  const found = requireFound(await findPayoutByEither(deps.db, id, accountId), 'payout');
  if (found.ownerId === undefined) await voidOwnTransfer(deps, found);
  else await voidPayout(deps, found.ownerId, accountId);
  return (await findPayout(deps.db, found.id, found.accountId)) ?? found;
}
