// Sends to a webhook again: one delivery, or every event since a moment. `accountId` is the caller's account, when it has one.
import { withoutAuditContext } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, requireFound } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database } from '../storage/database.ts';
import { requireWebhook } from './require-webhook.ts';
import { type Delivery, sendAgain } from './store-delivery-list.ts';
import { hasOtherReplay, insertReplay } from './store-fan-out.ts';
import { assignPositions } from './store-feed.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Makes a delivery in any state due now, with all its attempts again. */
export async function redeliver(
  { db, clock }: Deps,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
  accountId?: string,
): Promise<Delivery> {
  await requireWebhook(db, webhookId, accountId);
  const now = clock.now();
  return requireFound(await db.transaction(tx => sendAgain(tx, webhookId, deliveryId, now)), 'delivery');
}

/** Sends every event since a moment again, delivered before or not, one replay to a webhook at a time. Returns how many there are. */
export async function replayEvents(
  { db, clock }: Deps,
  { webhookId, since }: { readonly webhookId: string; readonly since: Date },
  accountId?: string,
): Promise<number> {
  await requireWebhook(db, webhookId, accountId);
  const now = clock.now();
  await withoutAuditContext(() => assignPositions(db));
  const replay = { id: uuidV7(now), webhookId, since };
  return db.transaction(async tx => {
    if (await hasOtherReplay(tx, replay)) {
      throw new AppError('wrong_state', 'A replay to this webhook is under way; request the next when it is done.');
    }
    return insertReplay(tx, replay, now);
  });
}
