// The job that asks a bank with an API for another due day. In its own file, because the code that writes the change enqueues it and
// must not import the handler.
import { defineJob } from '../../jobs/job.ts';
import type { ChargeRef } from '../issue/issue-job.ts';

export const CHANGE_DUE_DAY = defineJob<ChargeRef>('charge.change_due_day');
