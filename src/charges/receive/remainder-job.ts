// The job that keeps a partly paid charge consistent with the charge for its remainder.
import { defineJob } from '../../jobs/job.ts';

/** `chargeId` is the partly paid charge. */
export const FOLLOW_REMAINDER = defineJob<{ readonly accountId: string; readonly chargeId: string }>(
  'charge.follow_remainder',
);
