// Writes transitions of charges: the row and the event in one transaction. The caller holds the row locks.
import { insertEvents, objectEvent } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import { type ChargeFollower, movesMoney } from './follower.ts';
import type { Step } from './life.ts';
import type { Links } from './links/links.ts';
import { FOLLOW_REMAINDER } from './receive/remainder-job.ts';
import { updateCharges } from './store/charges.ts';
import { chargeView } from './view.ts';

export type WriteDeps = {
  readonly queue: Queue;
  readonly links: Links;
  readonly chargeFollowers: readonly ChargeFollower[];
};

/** A transition and when it happened. */
export type DatedStep = { readonly step: Step; readonly at: Date };

/**
 * Writes steps and returns the charges after them, each once. Several steps of one charge must be given in order, each
 * starting from the result of the one before: the row gets the last result, and every step gets its event. What follows charges is
 * changed, or its job enqueued, in the same transaction.
 */
export async function writeSteps(deps: WriteDeps, tx: Sql, steps: readonly DatedStep[]): Promise<Charge[]> {
  const { queue, links, chargeFollowers } = deps;
  const counted = withCounts(steps);
  const last = new Map(counted.map(({ after, at }) => [after.id, { after, at }]));
  const charges = [...last.values()].map(({ after }) => after);
  const announced = counted.flatMap(({ after, event, at }) => (event ? [eventOf(links, after, event, at)] : []));
  const changes = counted.map(({ after, event }) => ({ charge: after, event }));
  const remainders = changes.flatMap(({ charge, event }) => (movesMoney(event) ? remainderRefsOf(charge) : []));
  const moments = [...last.values()].map(({ at }) => at);
  // These statements do not depend on each other, so they are sent together.
  await Promise.all([
    charges.length > 0 ? updateCharges(tx, charges, moments) : undefined,
    insertEvents(tx, announced),
    queue.enqueue(tx, FOLLOW_REMAINDER, remainders),
    ...chargeFollowers.map(follower => follower.chargesChanged?.({ queue }, tx, changes)),
  ]);
  return charges;
}

export async function writeStep(deps: WriteDeps, tx: Sql, step: Step, at: Date): Promise<Charge> {
  const [after] = await writeSteps(deps, tx, [{ step, at }]);
  return after!;
}

/** An event that carries the charge as it is now. */
export function eventOf(links: Links, charge: Charge, type: string, at: Date) {
  return objectEvent(charge, type, at, chargeView(links, charge));
}

/** The charges to follow: the one whose remainder this is, and this one if it has a remainder. */
function remainderRefsOf({ id, accountId, remainder, remainderOf }: Charge) {
  const first = remainderOf === undefined ? [] : [{ accountId, chargeId: remainderOf }];
  return remainder && !remainder.isPaid ? [...first, { accountId, chargeId: id }] : first;
}

/** The steps with `eventCount` raised by their own event and by the events of earlier steps of the same charge. */
function withCounts(steps: readonly DatedStep[]) {
  const eventCounts = new Map<string, number>();
  return steps.map(({ step: { after, event }, at }) => {
    const count = (eventCounts.get(after.id) ?? 0) + (event ? 1 : 0);
    eventCounts.set(after.id, count);
    return { after: { ...after, eventCount: after.eventCount + count }, event, at };
  });
}
