// The instalment plan that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { findAndLockInstalmentPlan, findInstalmentPlan } from './store.ts';

export async function requireInstalmentPlan(db: Sql, id: string, accountId?: string): Promise<InstalmentPlan> {
  return found(await findInstalmentPlan(db, id, accountId));
}

/** Locks its row until the transaction ends. Plans are locked before their charges, as everywhere, to prevent deadlocks. */
export async function lockInstalmentPlan(tx: Sql, id: string, accountId?: string): Promise<InstalmentPlan> {
  return found(await findAndLockInstalmentPlan(tx, id, accountId));
}

function found(plan: InstalmentPlan | undefined): InstalmentPlan {
  if (!plan) throw new AppError('not_found', 'There is no such instalment plan.');
  return plan;
}
