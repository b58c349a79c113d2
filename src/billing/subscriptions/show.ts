// A subscription with what comes next.
import type { Links } from '../../charges/links/links.ts';
import type { Sql } from '../../storage/database.ts';
import { findPendingCycles } from './store.ts';
import type { Subscription } from './subscription.ts';
import { nextCycleView, subscriptionView } from './view.ts';

export async function showSubscription(
  { db, links }: { readonly db: Sql; readonly links: Links },
  subscription: Subscription,
) {
  const cycles = await findPendingCycles(db, [subscription.id]);
  return { ...subscriptionView(links, subscription), nextCycle: nextCycleView(subscription, cycles) };
}
