// Withdraws the link to the payer's page of a subscription, after it reached the wrong person; it has a new one from then on.
import { epochAfter, type Linked } from '../../charges/links/links.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { lockSubscription } from './require.ts';
import { storeLinkEpoch } from './store.ts';
import type { Subscription } from './subscription.ts';

/** Returns the subscription with its new link. The links of its charges are withdrawn one by one. */
export async function withdrawSubscriptionLink(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { id, linkEpoch: named }: Linked,
): Promise<Subscription> {
  return db.transaction(async tx => {
    const { subscription } = await lockSubscription(tx, id, clock.now(), {});
    const after = { ...subscription, linkEpoch: epochAfter(subscription, named, 'subscription') };
    await storeLinkEpoch(tx, after);
    return after;
  });
}
