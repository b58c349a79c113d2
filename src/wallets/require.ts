// The wallet that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findWallet } from './store.ts';
import type { Wallet } from './wallet.ts';

export async function requireWallet(db: Sql, id: string, accountId?: string): Promise<Wallet> {
  const wallet = await findWallet(db, id, { accountId });
  if (!wallet) throw new AppError('not_found', 'There is no such wallet.');
  return wallet;
}
