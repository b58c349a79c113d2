// Removing a wallet: nobody finds it any more, but its row stays, because orders name it.
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { markRemoved } from './store.ts';

export type RemoveWalletDeps = { readonly db: Sql; readonly clock: Clock };

/** Refuses what is not there, or not any more. */
export async function removeWallet({ db, clock }: RemoveWalletDeps, id: string): Promise<void> {
  await clock.refresh();
  if (!(await markRemoved(db, id, clock.now()))) throw new AppError('not_found', 'There is no such wallet.');
}
