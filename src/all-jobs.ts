// The kinds of jobs of all nouns: what the queue knows, whether a service runs them or a command only enqueues them.
import { CHARGE_JOBS } from './charges/jobs.ts';
import type { JobKind } from './jobs/job.ts';
import { ORDER_JOBS } from './orders/claim-job.ts';
import { PAYOUT_JOBS } from './payouts/jobs.ts';

export const ALL_JOBS: readonly JobKind<object>[] = [...CHARGE_JOBS, ...PAYOUT_JOBS, ...ORDER_JOBS];
