// A subscription with what comes next.
import type { Sql } from '../../storage/database.ts';
import { findPendingCycles } from './store.ts';
import type { Subscription } from './subscription.ts';
import { nextCycleView, subscriptionView } from './view.ts';

export async function showSubscription({ db }: { readonly db: Sql }, subscription: Subscription) {
  const cycles = await findPendingCycles(db, [subscription.id]);
  return { ...subscriptionView(subscription), nextCycle: nextCycleView(subscription, cycles) };
}
