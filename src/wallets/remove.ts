// Removes a wallet: it cannot be found any more, but its row stays, because orders refer to it.
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { markRemoved } from './store.ts';

export type RemoveWalletDeps = { readonly db: Database; readonly clock: Clock };

/** Refuses a wallet that does not exist or was removed before. */
export async function removeWallet({ db, clock }: RemoveWalletDeps, id: string, accountId?: string): Promise<void> {
  const isRemoved = await db.transaction(tx => markRemoved(tx, id, accountId, clock.now()));
  if (!isRemoved) throw new AppError('not_found', 'There is no such wallet.');
}
