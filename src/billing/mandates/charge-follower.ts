// Mandates follow the notifications that charges receive for all: those about recurrences and collections enqueue a look at them.
import type { ChargeFollower } from '../../charges/follower.ts';
import { defineJob } from '../../jobs/job.ts';

export const FOLLOW_MANDATES = defineJob<{
  readonly rail: string;
  readonly recurrenceIds: readonly string[];
  readonly references: readonly string[];
}>('mandate.notified');

export const mandateFollower: ChargeFollower = {
  notified: async ({ db, queue }, rail, body) => {
    const hints = rail.automatic?.hints(body);
    if (!hints || hints.recurrenceIds.length + hints.references.length === 0) return;
    await db.transaction(tx => queue.enqueue(tx, FOLLOW_MANDATES, [{ rail: rail.name, ...hints }]));
  },
};
