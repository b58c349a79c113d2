// Withdraws the link to the page of an instalment plan, after it reached the wrong person; the plan has a new one from then on.
import { epochAfter, type Linked } from '../../charges/links/links.ts';
import type { Database } from '../../storage/database.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { lockInstalmentPlan } from './require.ts';
import { storeLinkEpoch } from './store.ts';

/** Returns the plan with its new link. The links of its charges are withdrawn one by one. */
export async function withdrawPlanLink(
  { db }: { readonly db: Database },
  { id, linkEpoch: named }: Linked,
): Promise<InstalmentPlan> {
  return db.transaction(async tx => {
    const plan = await lockInstalmentPlan(tx, id);
    const after = { ...plan, linkEpoch: epochAfter(plan, named, 'plan') };
    await storeLinkEpoch(tx, after);
    return after;
  });
}
