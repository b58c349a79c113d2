// Writes steps of subscriptions: the row, its cycles and its events in one transaction. The caller holds the row locks.
import { cancelOpen } from '../../charges/cancel.ts';
import { isUnpaid } from '../../charges/life.ts';
import type { Links } from '../../charges/links/links.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import type { WriteDeps } from '../../charges/write.ts';
import { insertEvents } from '../../events/store.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import type { Standing, Step, StepEvent } from './life.ts';
import { updateStandings } from './store.ts';
import type { Subscription } from './subscription.ts';
import { cycleView, subscriptionView } from './view.ts';

/** Writes each standing with the events of the steps that led to it, and withdraws the charges that are no longer due. */
export async function writeSteps(deps: WriteDeps, tx: Sql, steps: readonly Step[], at: Date): Promise<Standing[]> {
  const counted = steps.map(({ after: { subscription, cycles }, events }) => ({
    subscription: { ...subscription, eventCount: subscription.eventCount + events.length, updatedAt: at },
    cycles,
  }));
  await updateStandings(tx, counted);
  await insertEvents(
    tx,
    steps.flatMap(({ events }, index) => eventsOf(deps.links, counted[index]!.subscription, events, at)),
  );
  await withdraw(
    deps,
    tx,
    steps.flatMap(({ withdrawn }) => withdrawn),
    at,
  );
  return counted;
}

export async function writeStep(deps: WriteDeps, tx: Sql, step: Step, at: Date): Promise<Standing> {
  const [after] = await writeSteps(deps, tx, [step], at);
  return after!;
}

/** Events that carry the subscription as it is after the last of them, each with its cycle. */
export function eventsOf(links: Links, subscription: Subscription, events: readonly StepEvent[], at: Date) {
  const object = subscriptionView(links, subscription);
  return events.map(({ event, cycle }, index) => ({
    id: uuidV7(at),
    accountId: subscription.accountId,
    type: event,
    objectId: subscription.id,
    sequence: subscription.eventCount - events.length + index + 1,
    occurredAt: at,
    object: { ...object, cycle: cycle && cycleView(cycle) },
  }));
}

/** A charge that was paid meanwhile stays paid. */
async function withdraw(deps: WriteDeps, tx: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  for (const charge of await lockCharges(tx, ids)) {
    if (charge.methods.some(isUnpaid)) await cancelOpen(deps, tx, charge, at);
  }
}

/** The steps one after the other as one: where the last one leads, with the events and the withdrawn charges of all. */
export function joined(first: Step, next: Step): Step {
  return {
    after: next.after,
    events: [...first.events, ...next.events],
    withdrawn: [...first.withdrawn, ...next.withdrawn],
  };
}
