// Finds the wallet of a request, if the caller may see it; `accountId` restricts it to one account.
import { requireFound } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findAndLockWallet, findWallet, type Lookup } from './store.ts';
import type { Wallet } from './wallet.ts';

export async function requireWallet(db: Sql, id: string, accountId?: string): Promise<Wallet> {
  return requireFound(await findWallet(db, id, { accountId }), 'wallet');
}

/** Locks its row until the transaction ends, so that changes of one wallet are serialised. */
export async function lockWallet(tx: Sql, id: string, lookup: Lookup = {}): Promise<Wallet> {
  return requireFound(await findAndLockWallet(tx, id, lookup), 'wallet');
}
