// Removing a wallet: nobody finds it any more, but its row stays, because orders name it.
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { markRemoved } from './store.ts';

export type RemoveWalletDeps = { readonly db: Database; readonly clock: Clock };

/** Refuses what is not there, or not any more. */
export async function removeWallet({ db, clock }: RemoveWalletDeps, id: string, accountId?: string): Promise<void> {
  await clock.refresh();
  const isRemoved = await db.transaction(tx => markRemoved(tx, id, accountId, clock.now()));
  if (!isRemoved) throw new AppError('not_found', 'There is no such wallet.');
}
