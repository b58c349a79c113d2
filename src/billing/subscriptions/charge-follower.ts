// Subscriptions follow the charges of their cycles: a change of one enqueues the job that brings it to its cycle.
import type { Charge } from '../../charges/charge.ts';
import type { ChargeChange, ChargeFollower } from '../../charges/follower.ts';
import { defineJob } from '../../jobs/job.ts';

export const FOLLOW_SUBSCRIPTION = defineJob<{
  readonly accountId: string;
  readonly subscriptionId: string;
  readonly chargeId: string;
}>('subscription.follow');

/**
 * Whether a cycle is paid, or by when it is to be, may be another answer than before; an active charge can be collected, and money that
 * was to go back and stays may buy crypto.
 */
const CONCERNS_CYCLE: readonly ChargeChange['event'][] = [
  'charge.active',
  'charge.paid',
  'charge.refunded',
  'charge.refund_failed',
  'charge.returned',
  'charge.expired',
  'charge.canceled',
  'charge.failed',
  'charge.due_changed',
];

export const subscriptionFollower: ChargeFollower = {
  chargesChanged: ({ queue }, tx, changes) =>
    queue.enqueue(
      tx,
      FOLLOW_SUBSCRIPTION,
      changes.flatMap(({ charge, event }) => (CONCERNS_CYCLE.includes(event) ? refsOf(charge) : [])),
    ),
  collectionFailed: ({ queue }, tx, charge) => queue.enqueue(tx, FOLLOW_SUBSCRIPTION, refsOf(charge)),
};

function refsOf({ id: chargeId, accountId, subscriptionId }: Charge) {
  return subscriptionId === undefined ? [] : [{ accountId, subscriptionId, chargeId }];
}
