// Removes a wallet: it cannot be found any more, but its row stays, because orders refer to it.
import type { Clock } from '../lib/clock.ts';
import { requireFound } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { markRemoved } from './store.ts';
import type { Wallet } from './wallet.ts';

type RemoveWalletDeps = { readonly db: Database; readonly clock: Clock };

/** Returns the wallet as it was. Refuses one that does not exist or was already removed. */
export async function removeWallet({ db, clock }: RemoveWalletDeps, id: string, accountId?: string): Promise<Wallet> {
  return requireFound(await db.transaction(tx => markRemoved(tx, id, accountId, clock.now())), 'wallet');
}
