// The plan that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Plan } from './plan.ts';
import { findPlan } from './store.ts';

export async function requirePlan(sql: Sql, id: string, accountId?: string): Promise<Plan> {
  return requireFound(await findPlan(sql, id, accountId), 'plan');
}

/** Locks its row until the transaction ends, so that changes of one plan come one after the other. */
export async function lockPlan(tx: Sql, id: string, accountId?: string): Promise<Plan> {
  return requireFound(await findPlan(tx, id, accountId, { isLocked: true }), 'plan');
}
