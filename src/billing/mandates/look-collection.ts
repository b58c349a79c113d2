// The job `mandate.look_at_collection`: sends a collection in its window, reads what became of it, tries again where the mandate allows it,
// and cancels one whose charge needs no money any more. Safe to run any number of times: its id at the PSP is ours.
import type { Charge } from '../../charges/charge.ts';
import { isPayable } from '../../charges/life.ts';
import { type ReceiptDeps, takeReceipt } from '../../charges/receive/receipts.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { AutomaticCalls, Collection as CollectionAtPsp } from '../../rails/automatic.ts';
import { findWatchedRail } from '../../rails/watched-rails.ts';
import { callsOf, type LookDeps, SETTLED_AFTER_MS } from './calls.ts';
import { changeCollection } from './change.ts';
import {
  type Collection,
  cancelableUntil,
  isOver,
  lastDayToSend,
  nextRetryDay,
  referenceOf,
  seenCollection,
  sendableFrom,
} from './collection.ts';
import { hasEnded } from './mandate.ts';
import { findMandate, type MandateRecord } from './store.ts';
import { type CollectionRef, findCollection, findCollectionOfCharge } from './store-collections.ts';

export type CollectDeps = LookDeps & ReceiptDeps;

const RETRY_MS = 60_000;

type Work = {
  readonly deps: CollectDeps;
  readonly calls: AutomaticCalls;
  readonly collection: Collection;
  readonly mandate: MandateRecord;
  readonly charge: Charge | undefined;
};

export async function lookAtCollection(
  deps: CollectDeps,
  { collectionId, accountId }: CollectionRef,
): Promise<JobOutcome> {
  const collection = await findCollection(deps.db, collectionId, accountId);
  if (!collection || isOver(collection)) return 'done';
  const mandate = await findMandate(deps.db, collection.mandateId, accountId);
  const calls = mandate && callsOf(deps, mandate.rail);
  if (!mandate || !calls) return 'done';
  const charge = await findCharge(deps.db, collection.chargeId, accountId);
  const work = { deps, calls, collection, mandate, charge };
  await (collection.status === 'WAITING' ? bring(work) : follow(work));
  return 'done';
}

/** Sends it once the PSP takes it, unless it is not needed any more. */
async function bring(work: Work): Promise<void> {
  const { deps, calls, collection, mandate } = work;
  const at = deps.clock.now();
  const reference = referenceOf(collection);
  if (collection.sentAt) {
    const found = await calls.collection(reference);
    if (found.kind === 'found') return follow({ ...work, collection: await take(work, found.collection) });
    if (found.kind !== 'absent') return again(work);
    if (at.getTime() - collection.sentAt.getTime() < SETTLED_AFTER_MS) return again(work);
  }
  const needless = whyNeedless(work);
  if (needless !== undefined) return finish(work, 'CANCELED', needless);
  if (hasEnded(mandate)) return finish(work, 'FAILED', `The mandate is ${mandate.status}.`);
  if (civilDay(at) > lastDayToSend(collection.dueDay, calls.window)) {
    return finish(work, 'FAILED', 'The PSP did not take it in time, or the payer had not approved the mandate.');
  }
  const isTooEarly = at < sendableFrom(collection.dueDay, calls.window) || mandate.status !== 'APPROVED';
  if (isTooEarly) return void (await changeCollection(deps, collection, calls.window, before => before));
  const sending = await changeCollection(deps, collection, calls.window, before =>
    isAsRead(before, collection) && !before.cancelAskedAt ? { ...before, sentAt: at } : before,
  );
  if (sending.status !== 'WAITING' || sending.cancelAskedAt || sending.sentAt?.getTime() !== at.getTime()) return;
  const { dueDay, amountCents } = sending;
  const { description } = work.charge ?? {};
  const answer = await calls.collect(
    {
      ...{ recurrenceId: mandate.recurrenceId!, dueDay, amountCents },
      ...(description !== undefined && { description }),
    },
    reference,
  );
  if (answer.kind === 'found') await take(work, answer.collection);
  else if (answer.kind === 'rejected') await finish({ ...work, collection: sending }, 'FAILED', answer.reason);
  else await again(work);
}

/** Reads it; then cancels it or tries again where that is due. */
async function follow(work: Work): Promise<void> {
  const { deps, calls, mandate } = work;
  const answer = await calls.collection(referenceOf(work.collection));
  if (answer.kind !== 'found') return again(work);
  const now = await take(work, answer.collection);
  if (isOver(now)) return;
  const at = deps.clock.now();
  if (whyNeedless({ ...work, collection: now }) !== undefined) {
    const until = cancelableUntil(now, calls.window);
    if (until && at < until) await cancel({ ...work, collection: now });
    return;
  }
  const day = mandate.allowsRetries && !hasEnded(mandate) ? nextRetryDay(now, mandate, at) : undefined;
  if (day === undefined) return;
  const retried = await calls.retryCollection(referenceOf(now), day);
  if (retried.kind === 'found') await take(work, retried.collection);
  else if (retried.kind !== 'rejected') await again(work);
}

async function cancel(work: Work): Promise<void> {
  const { deps, calls, collection } = work;
  const answer = await calls.cancelCollection(referenceOf(collection));
  if (answer.kind === 'found') return void (await take(work, answer.collection));
  if (answer.kind !== 'rejected') return again(work);
  const { id: collectionId, cancelRefusal } = collection;
  if (cancelRefusal === undefined)
    deps.log.warn('the PSP refuses to cancel a collection; it is asked again while it may be canceled', {
      collectionId,
    });
  await changeCollection(deps, collection, calls.window, before =>
    isOver(before) ? before : { ...before, cancelRefusal: answer.reason },
  );
}

/** Why it is canceled; undefined while its charge needs the money. */
function whyNeedless({ collection, charge }: Work): string | undefined {
  if (collection.cancelAskedAt) return 'Its cancellation was requested.';
  if (!charge?.methods.some(isPayable)) return 'Its charge needs no money any more.';
  return charge.state === 'PARTIALLY_PAID' ? 'Its charge was paid in part.' : undefined;
}

/** Another node has not sent it meanwhile. */
function isAsRead(now: Collection, read: Collection): boolean {
  return now.status === 'WAITING' && now.sentAt?.getTime() === read.sentAt?.getTime();
}

/** The money before the state: a crash between them takes the money again, which changes nothing. */
async function take({ deps, calls, collection, mandate }: Work, shown: CollectionAtPsp): Promise<Collection> {
  const watched = findWatchedRail(deps.rails, mandate.rail);
  if (watched) {
    for (const reference of shown.paymentReferences) {
      const receipt = await watched.watch.receipt(reference);
      if (receipt) await takeReceipt(deps, watched, receipt);
    }
  }
  return changeCollection(deps, collection, calls.window, before => seenCollection(before, shown, deps.clock.now()));
}

async function finish({ deps, calls, collection }: Work, status: 'FAILED' | 'CANCELED', reason: string): Promise<void> {
  const updatedAt = deps.clock.now();
  await changeCollection(deps, collection, calls.window, before =>
    isAsRead(before, collection) ? { ...before, status, reason, updatedAt } : before,
  );
}

/** The job `mandate.charge_changed`: looks at the collection of a charge, which may not be needed any more. */
export async function lookAtCollectionOf(
  deps: CollectDeps,
  { chargeId, accountId }: { readonly chargeId: string; readonly accountId: string },
): Promise<JobOutcome> {
  const collection = await findCollectionOfCharge(deps.db, chargeId);
  return collection ? lookAtCollection(deps, { collectionId: collection.id, accountId }) : 'done';
}

/** The answer is missing, or it is too early: it is looked at again. */
async function again({ deps, calls, collection }: Work): Promise<void> {
  const retryAt = new Date(deps.clock.now().getTime() + RETRY_MS);
  await changeCollection(deps, collection, calls.window, before => before, retryAt);
}
