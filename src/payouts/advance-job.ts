// The job that advances a payout. In its own file, because the code that opens a payout enqueues it and must not import the
// handler.
import { defineJob } from '../jobs/job.ts';

export const ADVANCE = defineJob<{ readonly accountId: string; readonly payoutId: string }>('payout.advance');
