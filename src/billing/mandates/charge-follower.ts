// Mandates follow charges: a change after which a charge may need no money enqueues a look at its collection. Of the
// notifications that charges receive for all, those about recurrences and collections enqueue a look at them. A comparison of days finds
// those that only the PSP has.
import type { ChargeChange, ChargeFollower } from '../../charges/follower.ts';
import { defineJob } from '../../jobs/job.ts';
import { onlyAtPsp } from './compare.ts';

export const FOLLOW_MANDATES = defineJob<{
  readonly rail: string;
  readonly recurrenceIds: readonly string[];
  readonly references: readonly string[];
}>('mandate.notified');

export const FOLLOW_COLLECTED_CHARGE = defineJob<{
  readonly accountId: string;
  readonly chargeId: string;
}>('mandate.charge_changed');

const CONCERNS_COLLECTION: readonly ChargeChange['event'][] = [
  'charge.partially_paid',
  'charge.paid',
  'charge.expired',
  'charge.canceled',
  'charge.failed',
];

export const mandateFollower: ChargeFollower = {
  chargesChanged: ({ queue }, tx, changes) => {
    const collected = changes.filter(({ charge, event }) => charge.isCollected && CONCERNS_COLLECTION.includes(event));
    const each = new Map(collected.map(({ charge: { id, accountId } }) => [id, { accountId, chargeId: id }]));
    return queue.enqueue(tx, FOLLOW_COLLECTED_CHARGE, [...each.values()]);
  },
  notified: async ({ db, queue }, rail, body) => {
    const hints = rail.automatic?.hints(body);
    if (!hints || hints.recurrenceIds.length + hints.references.length === 0) return;
    await db.transaction(tx => queue.enqueue(tx, FOLLOW_MANDATES, [{ rail: rail.name, ...hints }]));
  },
  onlyAtBank: onlyAtPsp,
};
