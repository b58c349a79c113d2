// The job that looks whether an instalment plan is complete. Charges enqueue it; instalments handle it.
import { defineJob } from '../jobs/job.ts';

export const FOLLOW_INSTALMENT_PLAN = defineJob<{
  readonly accountId: string;
  readonly planId: string;
}>('instalments.follow');
