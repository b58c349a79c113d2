// Changes a plan, for the subscriptions that are made of it from then on: those that exist have a copy of its terms.
import { isDeepStrictEqual } from 'node:util';
import type { Chains } from '../../chains/chain.ts';
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { isUniqueViolation } from '../../storage/faults.ts';
import { type Changes, changed } from '../changed.ts';
import { checkAutomatic, checkBuying, checkDay, checkPastDue } from './check.ts';
import type { NewPlan, Plan } from './plan.ts';
import { lockPlan } from './require.ts';
import { updatePlan } from './store.ts';
import { planEvent } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock; readonly chains: Chains; readonly rails: Rails };

export type PlanChanges = Changes<Omit<NewPlan, 'accountId'>> & { readonly isArchived?: boolean };

/** What is not named stays. Refuses an externalId that another plan of the account has. Without a difference nothing is written. */
export async function changePlan(
  { db, clock, chains, rails }: Deps,
  id: string,
  changes: PlanChanges,
  accountId?: string,
): Promise<Plan> {
  const now = clock.now();
  try {
    return await db.transaction(async tx => {
      const before = await lockPlan(tx, id, accountId);
      const after = changed(before, changes);
      const faults = [
        ...[...checkDay(after.interval, after.day), ...checkPastDue(after)],
        ...checkAutomatic(after, railFor(rails, 'pix', after.accountId), before),
        ...(buysOther(before, after) ? checkBuying(chains, after) : []),
      ];
      if (faults.length > 0) throw invalidRequest(faults);
      if (isDeepStrictEqual(before, after)) return before;
      const written = { ...after, eventCount: before.eventCount + 1, updatedAt: now };
      await updatePlan(tx, written);
      await insertEvents(tx, [planEvent(written, 'plan.updated', now)]);
      return written;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('external_id_conflict', 'Another plan of this account has this externalId.');
  }
}

/** A plan of a network that is no longer connected can still be archived. */
function buysOther(before: Plan, after: Plan): boolean {
  const { symbol, network, currency } = after;
  return symbol !== before.symbol || network !== before.network || currency !== before.currency;
}
