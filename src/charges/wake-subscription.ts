// The job that tells a subscription what became of a charge of it. Charges enqueue it; subscriptions handle it.
import { defineJob } from '../jobs/job.ts';

export const FOLLOW_SUBSCRIPTION = defineJob<{
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly chargeId: string;
}>('subscription.follow');
