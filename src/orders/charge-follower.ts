// Orders follow their charges: a change of one enqueues the job that advances its order.
import type { ChargeChange, ChargeFollower } from '../charges/follower.ts';
import { defineJob } from '../jobs/job.ts';

export const FOLLOW_ORDER = defineJob<{ readonly accountId: string; readonly orderId: string }>('order.follow');

/** An order waits for a payment, for the end of the charge without one, and for refunds. */
const NO_CONCERN: readonly ChargeChange['event'][] = [
  'charge.active',
  'charge.overdue',
  'charge.due_changed',
  'charge.due_change_failed',
];

export const orderFollower: ChargeFollower = {
  chargesChanged: ({ queue }, tx, changes) =>
    queue.enqueue(
      tx,
      FOLLOW_ORDER,
      changes.flatMap(({ charge: { accountId, orderId }, event }) =>
        orderId === undefined || NO_CONCERN.includes(event) ? [] : [{ accountId, orderId }],
      ),
    ),
};
