// The job `mandate.look_at_collection`: sends a collection in its window, reads what became of it, tries again where the mandate allows it,
// and cancels one whose charge needs no money any more. Safe to run any number of times: its id at the PSP is ours.
import type { Charge } from '../../charges/charge.ts';
import { isPayable } from '../../charges/life.ts';
import { type ReceiptDeps, takeReceipt } from '../../charges/receive/receipts.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { AutomaticCalls, CollectionAnswer, Collection as CollectionAtPsp } from '../../rails/automatic.ts';
import { findWatchedRail } from '../../rails/watched-rails.ts';
import { callsOf, type LookDeps, SETTLED_AFTER_MS } from './calls.ts';
import { changeCollection } from './change.ts';
import { referenceOf } from './collect.ts';
import {
  type Collection,
  cancelableUntil,
  isOver,
  lastDayToSend,
  nextRetryDay,
  seenCollection,
  sendableFrom,
} from './collection.ts';
import { hasEnded } from './mandate.ts';
import { findMandate, type MandateRecord } from './store.ts';
import { type CollectionRef, findCollection } from './store-collections.ts';

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
  if (!isWanted(work)) return finish(work, 'CANCELED', 'Its charge needs no money any more.');
  if (hasEnded(mandate)) return finish(work, 'FAILED', `The mandate is ${mandate.status}.`);
  if (civilDay(at) > lastDayToSend(collection.dueDay, calls.window)) {
    return finish(work, 'FAILED', 'The PSP did not take it in time, or the payer had not approved the mandate.');
  }
  const isTooEarly = at < sendableFrom(collection.dueDay, calls.window) || mandate.status !== 'APPROVED';
  if (isTooEarly) return void (await changeCollection(deps, collection, calls.window, before => before));
  const sending = await changeCollection(deps, collection, calls.window, before =>
    before.status === 'WAITING' && !before.cancelAskedAt ? { ...before, sentAt: at } : before,
  );
  if (sending.status !== 'WAITING' || sending.cancelAskedAt) return;
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
  else if (answer.kind === 'rejected') await finish(work, 'FAILED', answer.reason);
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
  const isCancelable = at < cancelableUntil(now.dueDay, calls.window);
  if (!isWanted({ ...work, collection: now })) {
    if (isCancelable) await settle(work, await calls.cancelCollection(referenceOf(now)));
    return;
  }
  const day = mandate.allowsRetries && !hasEnded(mandate) ? nextRetryDay(now, at) : undefined;
  if (day !== undefined) await settle(work, await calls.retryCollection(referenceOf(now), day));
}

async function settle(work: Work, answer: CollectionAnswer | { readonly kind: string }): Promise<void> {
  if (answer.kind === 'found') await take(work, (answer as CollectionAnswer).collection);
}

/** Whether its charge still needs the money, and its cancellation was not requested. */
function isWanted({ collection, charge }: Work): boolean {
  return !collection.cancelAskedAt && (charge?.methods.some(isPayable) ?? false);
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
    before.status === 'WAITING' ? { ...before, status, reason, updatedAt } : before,
  );
}

/** The answer is missing, or it is too early: it is looked at again. */
async function again({ deps, calls, collection }: Work): Promise<void> {
  const retryAt = new Date(deps.clock.now().getTime() + RETRY_MS);
  await changeCollection(deps, collection, calls.window, before => before, retryAt);
}
