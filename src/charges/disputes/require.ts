// Finds the dispute that a caller names, or refuses; `accountId` restricts it to one account.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Dispute } from './dispute.ts';
import { findAndLockDispute, findDispute } from './store.ts';

export async function requireDispute(db: Sql, id: string, accountId?: string): Promise<Dispute> {
  return requireFound(await findDispute(db, id, accountId), 'dispute');
}

/** Locks its row until the transaction ends. */
export async function lockDispute(tx: Sql, id: string, accountId?: string): Promise<Dispute> {
  return requireFound(await findAndLockDispute(tx, id, accountId), 'dispute');
}
