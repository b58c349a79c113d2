// Withdraws the link to the page of an instalment plan, after it reached the wrong person; the plan has a new one from then on.
import { type Linked, MAX_EPOCH } from '../../charges/links/links.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { lockInstalmentPlan } from './require.ts';
import { storeLinkEpoch } from './store.ts';

/**
 * Returns the plan with its new link. The epoch names the link to withdraw, so repeating the request withdraws no other. The links of its
 * charges are withdrawn one by one.
 */
export async function withdrawPlanLink(
  { db }: { readonly db: Database },
  { id, linkEpoch: named }: Linked,
): Promise<InstalmentPlan> {
  return db.transaction(async tx => {
    const plan = await lockInstalmentPlan(tx, id);
    if (named !== plan.linkEpoch) {
      throw new AppError('wrong_state', 'This link was withdrawn already; the plan has another one.');
    }
    if (plan.linkEpoch >= MAX_EPOCH) {
      throw new AppError('wrong_state', `The link of this plan was withdrawn ${MAX_EPOCH} times: it has no other one.`);
    }
    const after = { ...plan, linkEpoch: plan.linkEpoch + 1 };
    await storeLinkEpoch(tx, after);
    return after;
  });
}
