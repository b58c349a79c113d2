// Instalment plans follow their charges: a change of one enqueues the job that looks whether the plan has ended.
import { type ChargeFollower, movesMoney } from '../../charges/follower.ts';
import { defineJob } from '../../jobs/job.ts';

export const FOLLOW_INSTALMENT_PLAN = defineJob<{
  readonly accountId: string;
  readonly planId: string;
}>('instalments.follow');

export const instalmentFollower: ChargeFollower = {
  chargesChanged: ({ queue }, tx, changes) => {
    // After these, nothing may be left to pay of the plan.
    const plans = changes.flatMap(({ charge: { accountId, instalment }, event }) =>
      instalment && (event === 'charge.canceled' || movesMoney(event))
        ? [{ accountId, planId: instalment.planId }]
        : [],
    );
    const each = new Map(plans.map(plan => [plan.planId, plan]));
    return queue.enqueue(tx, FOLLOW_INSTALMENT_PLAN, [...each.values()]);
  },
};
