// Finds the dispute that a caller names, or refuses; `accountId` restricts it to one account.
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Dispute } from './dispute.ts';
import { findAndLockDispute, findDispute } from './store.ts';

export async function requireDispute(db: Sql, id: string, accountId?: string): Promise<Dispute> {
  return found(await findDispute(db, id, accountId));
}

/** Locks its row until the transaction ends. */
export async function lockDispute(tx: Sql, id: string, accountId?: string): Promise<Dispute> {
  return found(await findAndLockDispute(tx, id, accountId));
}

function found(dispute: Dispute | undefined): Dispute {
  if (!dispute) throw new AppError('not_found', 'There is no such dispute.');
  return dispute;
}
