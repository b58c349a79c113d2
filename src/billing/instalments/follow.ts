// The job `instalments.follow`: ends a plan of which nothing is left to pay. Safe to run any number of times, early or late.
import type { Links } from '../../charges/links/links.ts';
import { handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { FOLLOW_INSTALMENT_PLAN } from './charge-follower.ts';
import { endWith } from './end.ts';
import { stateOf } from './instalment-plan.ts';
import { readInstalments } from './show.ts';
import { findAndLockInstalmentPlan } from './store.ts';

export type FollowDeps = { readonly db: Database; readonly links: Links; readonly clock: Clock };

/** Charges are read without a lock: one that changes after that enqueues the job again. */
async function followPlan(deps: FollowDeps, payload: PayloadOf<typeof FOLLOW_INSTALMENT_PLAN>): Promise<JobOutcome> {
  await deps.db.transaction(async tx => {
    const plan = await findAndLockInstalmentPlan(tx, payload.planId, payload.accountId);
    if (plan?.state !== 'OPEN') return;
    const state = stateOf(await readInstalments(tx, plan));
    if (state !== 'OPEN') await endWith(deps, tx, plan, state, deps.clock.now());
  });
  return 'done';
}

export function instalmentJobs(deps: FollowDeps): JobHandler[] {
  return [handleJob(FOLLOW_INSTALMENT_PLAN, payload => followPlan(deps, payload))];
}
