// What a cycle has beside its status, as pure functions: the collection of its charge, and the order that its money pays for.
import { replaced, type Standing, type Step, type StepEvent } from './life.ts';
import type { Cycle } from './subscription.ts';

/** The charge of a cycle is collected by a mandate. */
export function collecting(before: Standing, cycle: Cycle, collectionId: string): Step | undefined {
  return cycle.collectionId === collectionId ? undefined : noted(before, { ...cycle, collectionId });
}

/** No mandate brings the money of a cycle: the customer pays its charge by one of its methods. */
export function fellBack(before: Standing, cycle: Cycle, fallbackReason: string): Step | undefined {
  if (cycle.fallbackReason !== undefined) return undefined;
  return noted(before, { ...cycle, fallbackReason }, 'subscription.collection_failed');
}

/** Its charge is paid, and an order is to be made of the money. */
export function awaitsOrder({ status, orderId }: Cycle): boolean {
  return status === 'paid' && orderId === undefined;
}

/** The money of a cycle pays for an order. */
export function ordered(before: Standing, { orderReason: _, ...cycle }: Cycle, orderId: string): Step {
  return noted(before, { ...cycle, orderId }, 'subscription.ordered');
}

/** No order could be made of the money of a cycle: it is tried again. Only a new reason is an event. */
export function orderRefused(before: Standing, cycle: Cycle, orderReason: string): Step | undefined {
  return cycle.orderReason === orderReason
    ? undefined
    : noted(before, { ...cycle, orderReason }, 'subscription.order_failed');
}

function noted(before: Standing, cycle: Cycle, event?: StepEvent['event']): Step {
  return { after: replaced(before, cycle), events: event ? [{ event, cycle }] : [], withdrawn: [] };
}
