// The job that registers charges with their rails. In its own file, because the code that writes charges enqueues it and
// must not import the handler.
import { defineJob } from '../../jobs/job.ts';

export type ChargeRef = { readonly accountId: string; readonly chargeId: string };

/** Registers every method of the charges on which its rail has not decided yet. */
export const ISSUE = defineJob<{ readonly charges: readonly ChargeRef[] }>('charge.issue');

/**
 * The delay of the job when the caller waits for the bank: by then the request that made the charge has asked the bank or has
 * died.
 */
export const ISSUE_AFTER_SECONDS = 15;
