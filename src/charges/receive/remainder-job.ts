// The job that keeps a charge that was paid in part and the charge for the rest in agreement.
import { defineJob } from '../../jobs/job.ts';

/** `chargeId` is the one that was paid in part. */
export const FOLLOW_REMAINDER = defineJob<{ readonly accountId: string; readonly chargeId: string }>(
  'charge.follow_remainder',
);
