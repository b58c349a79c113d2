// The job that advances the order which a charge pays for. Charges enqueue it; orders handle it.
import { defineJob } from '../jobs/job.ts';

export const FOLLOW_ORDER = defineJob<{ readonly accountId: string; readonly orderId: string }>('order.follow');
