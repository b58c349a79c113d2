// The wallet that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findAndLockWallet, findWallet, type Lookup } from './store.ts';
import type { Wallet } from './wallet.ts';

export async function requireWallet(db: Sql, id: string, accountId?: string): Promise<Wallet> {
  return found(await findWallet(db, id, { accountId }));
}

/** Locks its row until the transaction ends, so that acts on one wallet come one after the other. */
export async function lockWallet(tx: Sql, id: string, lookup: Lookup = {}): Promise<Wallet> {
  return found(await findAndLockWallet(tx, id, lookup));
}

function found(wallet: Wallet | undefined): Wallet {
  if (!wallet) throw new AppError('not_found', 'There is no such wallet.');
  return wallet;
}
