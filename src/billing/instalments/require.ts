// The instalment plan that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { findAndLockInstalmentPlan, findInstalmentPlan } from './store.ts';

export async function requireInstalmentPlan(db: Sql, id: string, accountId?: string): Promise<InstalmentPlan> {
  return requireFound(await findInstalmentPlan(db, id, accountId), 'instalment plan');
}

/** Locks its row until the transaction ends. Plans are locked before their charges, as everywhere, to prevent deadlocks. */
export async function lockInstalmentPlan(tx: Sql, id: string, accountId?: string): Promise<InstalmentPlan> {
  return requireFound(await findAndLockInstalmentPlan(tx, id, accountId), 'instalment plan');
}
