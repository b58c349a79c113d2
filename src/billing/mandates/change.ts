// Writes what became of a mandate or of a collection: the row, its event and its next look, in one transaction.
import { findCharge } from '../../charges/store/charges.ts';
import type { WriteDeps } from '../../charges/write.ts';
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AutomaticCalls, Recurrence } from '../../rails/automatic.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type Collection, collectionEventOf, isOver, nextLookAtCollection } from './collection.ts';
import { eventOf, hasEnded, nextLookAt, seen } from './mandate.ts';
import { lockCollection, lockMandate } from './require.ts';
import { type MandateRecord, updateMandate } from './store.ts';
import { lookAtCollectionsOf, updateCollection } from './store-collections.ts';
import { collectionEvent, mandateEvent } from './view.ts';

export type ChangeDeps = Pick<WriteDeps, 'queue' | 'chargeFollowers'> & {
  readonly db: Database;
  readonly clock: Clock;
};

/**
 * Applies a change to the mandate as it is now, and plans the next look. A change that returns what it was given leaves the row as it is
 * but for that.
 */
export async function changeMandate(
  { db, clock }: ChangeDeps,
  { id, accountId }: Pick<MandateRecord, 'id' | 'accountId'>,
  change: (before: MandateRecord) => MandateRecord,
): Promise<MandateRecord> {
  return db.transaction(async tx => writeMandate(tx, await lockMandate(tx, id, accountId), change, clock.now()));
}

/** Leaves the mandate as it is until its next look. */
export async function planNextLook(deps: ChangeDeps, mandate: MandateRecord): Promise<undefined> {
  await changeMandate(deps, mandate, before => before);
}

/** Writes what the PSP shows of its recurrence. */
export function takeRecurrence(
  deps: ChangeDeps,
  mandate: MandateRecord,
  recurrence: Recurrence,
): Promise<MandateRecord> {
  return changeMandate(deps, mandate, before => {
    const { cancelRefusal: _, ...rest } = before;
    return { ...rest, ...seen(before, recurrence, deps.clock.now()) };
  });
}

async function writeMandate(
  tx: Sql,
  before: MandateRecord,
  change: (before: MandateRecord) => MandateRecord,
  at: Date,
): Promise<MandateRecord> {
  const changed = change(before);
  const { status } = changed;
  const isNews = status !== before.status && status !== 'CREATING';
  const after = isNews ? { ...changed, eventCount: before.eventCount + 1 } : changed;
  await updateMandate(tx, after, nextLookAt(after, at));
  if (isNews) await insertEvents(tx, [mandateEvent(after, eventOf(status), at)]);
  // They wait for its approval, and end with it.
  if (isNews && (status === 'APPROVED' || hasEnded(after)))
    await lookAtCollectionsOf(tx, after.id, after.accountId, at);
  return after;
}

/** As `changeMandate`. `retryAt`: when it is looked at next, where an answer is missing. */
export async function changeCollection(
  { db, clock, ...following }: ChangeDeps,
  { id, accountId }: Pick<Collection, 'id' | 'accountId'>,
  window: AutomaticCalls['window'],
  change: (before: Collection) => Collection,
  retryAt?: Date,
): Promise<Collection> {
  const at = clock.now();
  return db.transaction(async tx => {
    const before = await lockCollection(tx, id, accountId);
    const changed = change(before);
    const event = collectionEventOf(before, changed);
    const after = event ? { ...changed, eventCount: before.eventCount + 1 } : changed;
    await updateCollection(tx, after, earlier(nextLookAtCollection(after, window, at), retryAt));
    if (event) await insertEvents(tx, [collectionEvent(after, event, at)]);
    if (event && isOver(after) && after.status !== 'COMPLETED') await announceFailure(following, tx, after);
    return after;
  });
}

/** The payer is asked as for any charge: what follows the charge may have to do with that. */
async function announceFailure(
  { queue, chargeFollowers }: Pick<WriteDeps, 'queue' | 'chargeFollowers'>,
  tx: Sql,
  { chargeId, accountId }: Collection,
): Promise<void> {
  const charge = await findCharge(tx, chargeId, accountId);
  if (!charge) return;
  await Promise.all(chargeFollowers.map(follower => follower.collectionFailed?.({ queue }, tx, charge)));
}

function earlier(planned: Date | undefined, retryAt: Date | undefined): Date | undefined {
  return planned && retryAt && retryAt < planned ? retryAt : planned;
}
