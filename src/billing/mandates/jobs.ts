// The kinds of jobs about mandates, and the timers that enqueue them: a look for each mandate and each collection, should a notification be
// lost, and the looks that a notification asks for.

import { defineJob, handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import { sweepInBatches } from '../../jobs/sweep.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Beat, type Loop, startLoop } from '../../lib/loop.ts';
import { findWatchedRail } from '../../rails/watched-rails.ts';
import type { Database } from '../../storage/database.ts';
import { FOLLOW_COLLECTED_CHARGE, FOLLOW_MANDATES } from './charge-follower.ts';
import { idOfReference } from './collection.ts';
import { lookAtMandate } from './look.ts';
import { type CollectDeps, lookAtCollection, lookAtCollectionOf } from './look-collection.ts';
import { findMandatesOf, type MandateRef, takeDueMandates } from './store.ts';
import { type CollectionRef, findCollectionRefs, hasDueLooks, takeDueCollections } from './store-collections.ts';

const LOOK_AT_MANDATE = defineJob<MandateRef>('mandate.look');
const LOOK_AT_COLLECTION = defineJob<CollectionRef>('mandate.look_at_collection');

export const MANDATE_JOBS = [LOOK_AT_MANDATE, LOOK_AT_COLLECTION, FOLLOW_MANDATES, FOLLOW_COLLECTED_CHARGE] as const;

export type MandateJobDeps = CollectDeps & { readonly queue: Queue };

export function mandateJobs(deps: MandateJobDeps): JobHandler[] {
  return [
    handleJob(LOOK_AT_MANDATE, payload => lookAtMandate(deps, payload)),
    handleJob(LOOK_AT_COLLECTION, payload => lookAtCollection(deps, payload)),
    handleJob(FOLLOW_MANDATES, payload => followNotification(deps, payload)),
    handleJob(FOLLOW_COLLECTED_CHARGE, payload => lookAtCollectionOf(deps, payload)),
  ];
}

/** An unknown id belongs to another program at the same PSP, or is forged. */
async function followNotification(
  { db, queue, rails }: MandateJobDeps,
  { rail, recurrenceIds, references }: PayloadOf<typeof FOLLOW_MANDATES>,
): Promise<JobOutcome> {
  const names = findWatchedRail(rails, rail)?.names ?? [rail];
  const mandates = await findMandatesOf(db, names, recurrenceIds);
  const collections = await findCollectionRefs(
    db,
    references.flatMap(one => idOfReference(one) ?? []),
  );
  await db.transaction(async tx => {
    const looks = mandates.map(({ accountId, mandateId }) => ({ accountId, mandateId }));
    await queue.enqueue(tx, LOOK_AT_MANDATE, looks);
    await queue.enqueue(tx, LOOK_AT_COLLECTION, collections);
  });
  return 'done';
}

/** A job that is lost with its node is enqueued again after this long. */
const AGAIN_AFTER_MS = 10 * 60_000;

type Deps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

/** Enqueues the looks that are due, and returns their number. */
export async function lookAtDue({ db, queue, clock }: Deps, beat?: Beat): Promise<number> {
  const now = clock.now();
  // Most find nothing; this read then saves the transaction.
  if (!(await hasDueLooks(db, now))) return 0;
  const next = new Date(now.getTime() + AGAIN_AFTER_MS);
  return sweepInBatches(
    db,
    async (tx, limit) => {
      const mandates = await takeDueMandates(tx, now, next, limit);
      await queue.enqueue(tx, LOOK_AT_MANDATE, mandates);
      const collections = await takeDueCollections(tx, now, next, limit - mandates.length);
      await queue.enqueue(tx, LOOK_AT_COLLECTION, collections);
      return mandates.length + collections.length;
    },
    beat,
  );
}

const EVERY_MS = 1_000;

export function startLookingAtMandates(
  deps: Deps & { readonly log: Log; readonly heartbeats?: Heartbeats | undefined },
): Loop {
  const { heartbeats, log } = deps;
  const task = async (_signal: AbortSignal, beat: Beat) => void (await lookAtDue(deps, beat));
  return startLoop({ name: 'looking at mandates', task, pauseMs: EVERY_MS, heartbeats, log });
}
