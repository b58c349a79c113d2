// Locks and updates the owners of payouts together: the named owners, and the ledger for own transfers, which have no owner. Wakes the
// line when a slot became free.
import type { Sql } from '../../storage/database.ts';
import { type WakeDeps, wakeFreed } from '../line/wake.ts';
import { lockOwnTransfers } from '../own-transfers/progress.ts';
import type { ApplyChanges, PayoutOwner } from '../owner.ts';
import type { Payout } from '../payout.ts';

type Deps = WakeDeps & { readonly payoutOwner: Pick<PayoutOwner, 'lock'> };

export async function lockOwners(deps: Deps, tx: Sql, payouts: readonly Payout[]): Promise<ApplyChanges> {
  const applyToOwners = await deps.payoutOwner.lock(tx, payouts.filter(isOwned));
  const applyToOwnTransfers = await lockOwnTransfers(
    tx,
    payouts.filter(payout => !isOwned(payout)),
  );
  return async (changes, at) => {
    await applyToOwners(
      changes.filter(({ after }) => isOwned(after)),
      at,
    );
    await applyToOwnTransfers(
      changes.filter(({ after }) => !isOwned(after)),
      at,
    );
    await wakeFreed(deps, tx, changes);
  };
}

function isOwned({ ownerId }: Payout): boolean {
  return ownerId !== undefined;
}
