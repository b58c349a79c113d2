// Writes transitions of charges: the row and the event in one transaction. The caller holds the row locks.
import { insertEvents, objectEvent } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import type { Step } from './life.ts';
import type { Links } from './links/links.ts';
import { FOLLOW_REMAINDER } from './receive/remainder-job.ts';
import { updateCharges } from './store/charges.ts';
import { chargeView } from './view.ts';
import { FOLLOW_INSTALMENT_PLAN } from './wake-instalment-plan.ts';
import { FOLLOW_ORDER } from './wake-order.ts';
import { FOLLOW_SUBSCRIPTION } from './wake-subscription.ts';

export type WriteDeps = { readonly queue: Queue; readonly links: Links };

/** A transition and when it happened. */
export type DatedStep = { readonly step: Step; readonly at: Date };

/**
 * Writes steps and returns the charges after them, each once. Several steps of one charge must be given in order, each
 * starting from the result of the one before: the row gets the last result, and every step gets its event. If a charge pays
 * for an order or a cycle of a subscription, is tied to a charge for the rest, or is an instalment, the same transaction enqueues the job
 * that advances the other.
 */
export async function writeSteps({ queue, links }: WriteDeps, tx: Sql, steps: readonly DatedStep[]): Promise<Charge[]> {
  const counted = withCounts(steps);
  const last = new Map(counted.map(({ after, at }) => [after.id, { after, at }]));
  const charges = [...last.values()].map(({ after }) => after);
  const announced = counted.flatMap(({ after, event, at }) => (event ? [eventOf(links, after, event, at)] : []));
  const orders = counted.flatMap(({ after, event }) => (concernsOrder(event) ? (orderRefOf(after) ?? []) : []));
  const remainders = counted.flatMap(({ after, event }) => (movesMoney(event) ? remainderRefsOf(after) : []));
  const plans = planRefsOf(counted.flatMap(({ after, event }) => (endsInstalment(event) ? [after] : [])));
  const cycles = counted.flatMap(({ after, event }) => (concernsCycle(event) ? (cycleRefOf(after) ?? []) : []));
  const moments = [...last.values()].map(({ at }) => at);
  // These statements do not depend on each other, so they are sent together.
  await Promise.all([
    charges.length > 0 ? updateCharges(tx, charges, moments) : undefined,
    insertEvents(tx, announced),
    queue.enqueue(tx, FOLLOW_ORDER, orders),
    queue.enqueue(tx, FOLLOW_REMAINDER, remainders),
    queue.enqueue(tx, FOLLOW_INSTALMENT_PLAN, plans),
    queue.enqueue(tx, FOLLOW_SUBSCRIPTION, cycles),
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

const NO_CONCERN: readonly Step['event'][] = [
  'charge.active',
  'charge.overdue',
  'charge.due_changed',
  'charge.due_change_failed',
];

/** An order waits for a payment, for the end of the charge without one, and for refunds. */
function concernsOrder(event: Step['event']): boolean {
  return !NO_CONCERN.includes(event);
}

const MOVES_MONEY: readonly Step['event'][] = [
  'charge.paid',
  'charge.paid_twice',
  'charge.refunded',
  'charge.returned',
];

/** The money of a charge for the remainder changes, or it is no longer needed. */
function movesMoney(event: Step['event']): boolean {
  return MOVES_MONEY.includes(event);
}

const CONCERNS_CYCLE: readonly Step['event'][] = [
  'charge.paid',
  'charge.refunded',
  'charge.returned',
  'charge.expired',
  'charge.canceled',
  'charge.failed',
  'charge.due_changed',
];

/** Whether a cycle is paid, or by when it is to be, may be another answer than before. */
function concernsCycle(event: Step['event']): boolean {
  return CONCERNS_CYCLE.includes(event);
}

/** The charges to follow: the one whose remainder this is, and this one if it has a remainder. */
function remainderRefsOf({ id, accountId, remainder, remainderOf }: Charge) {
  const first = remainderOf === undefined ? [] : [{ accountId, chargeId: remainderOf }];
  return remainder && !remainder.isPaid ? [...first, { accountId, chargeId: id }] : first;
}

function cycleRefOf({ id, accountId, subscriptionId }: Charge) {
  return subscriptionId === undefined ? undefined : { accountId, subscriptionId, chargeId: id };
}

function orderRefOf({ accountId, orderId }: Charge) {
  return orderId === undefined ? undefined : { accountId, orderId };
}

/** With it nothing may be left to pay of the plan. */
function endsInstalment(event: Step['event']): boolean {
  return event === 'charge.canceled' || movesMoney(event);
}

/** The plans of these charges, each once. */
function planRefsOf(charges: readonly Charge[]) {
  const plans = charges.flatMap(({ accountId, instalment }) =>
    instalment ? [{ accountId, planId: instalment.planId }] : [],
  );
  return [...new Map(plans.map(plan => [plan.planId, plan])).values()];
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
