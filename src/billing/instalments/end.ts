// The end of an instalment plan, with its event.
import type { Links } from '../../charges/links/links.ts';
import { insertEvents } from '../../events/store.ts';
import type { Sql } from '../../storage/database.ts';
import type { InstalmentEvent, InstalmentPlan, PlanEnd } from './instalment-plan.ts';
import { endPlan } from './store.ts';
import { instalmentPlanEvent } from './view.ts';

const EVENTS = { COMPLETED: 'instalments.completed', CANCELED: 'instalments.canceled' } as const satisfies Record<
  PlanEnd,
  InstalmentEvent
>;

/** The caller holds the lock of the plan, which is open. */
export async function endWith(
  { links }: { readonly links: Links },
  tx: Sql,
  plan: InstalmentPlan,
  state: PlanEnd,
  at: Date,
): Promise<InstalmentPlan> {
  const after = { ...plan, state, eventCount: plan.eventCount + 1, updatedAt: at };
  await endPlan(tx, after);
  await insertEvents(tx, [instalmentPlanEvent(links, after, EVENTS[state], at)]);
  return after;
}
