// Every kind of job that a service knows, for tests that start a queue of their own.
import { CHARGE_JOBS } from '../../src/charges/jobs.ts';
import type { JobKind } from '../../src/jobs/job.ts';
import { ORDER_JOBS } from '../../src/orders/claim-job.ts';
import { PAYOUT_JOBS } from '../../src/payouts/jobs.ts';

export const ALL_JOBS: readonly JobKind<object>[] = [...CHARGE_JOBS, ...PAYOUT_JOBS, ...ORDER_JOBS];
