// Cancels an instalment plan: every charge of it that is open, and those for the rest of one that was paid in part. What was paid stays.
import { cancelAllOpen } from '../../charges/cancel.ts';
import type { Charge } from '../../charges/charge.ts';
import { isUnpaid } from '../../charges/life.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import { findChargesOfPlan } from '../../charges/store/of-plan.ts';
import type { WriteDeps } from '../../charges/write.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { endWith } from './end.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { lockInstalmentPlan } from './require.ts';

type Deps = WriteDeps & { readonly db: Database; readonly clock: Clock };

/** In one transaction: a payment that comes meanwhile is before it or after it. A canceled plan is returned as it is; a completed one is refused. */
export async function cancelInstalments(deps: Deps, id: string, accountId?: string): Promise<InstalmentPlan> {
  const at = deps.clock.now();
  return deps.db.transaction(async tx => {
    const plan = await lockInstalmentPlan(tx, id, accountId);
    if (plan.state === 'CANCELED') return plan;
    if (plan.state === 'COMPLETED') {
      throw new AppError('wrong_state', 'All instalments of this plan have ended: nothing of it can be canceled.');
    }
    const charges = await lockChargesOfPlan(tx, plan);
    const open = charges.filter(({ methods }) => methods.some(isUnpaid));
    await cancelAllOpen(deps, tx, open, at);
    return endWith(deps, tx, plan, 'CANCELED', at);
  });
}

/** Again until the list is complete: while one was awaited, a charge for its rest may have been made. */
async function lockChargesOfPlan(tx: Sql, plan: InstalmentPlan): Promise<Charge[]> {
  let charges: Charge[] = [];
  for (;;) {
    const ids = (await findChargesOfPlan(tx, plan)).map(({ id }) => id);
    if (ids.length === charges.length) return charges;
    charges = await lockCharges(tx, ids);
  }
}
