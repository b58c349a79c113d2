// The one way a step of a charge's life is written: its standing and its event together, while the charge's row is held.
import { insertEvents } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';
import type { LivingCharge } from './charge.ts';
import type { Step } from './life.ts';
import { updateCharges } from './store.ts';
import { chargeView } from './view.ts';

type Deps = { readonly queue: Queue };

/** A step and the moment it happened. */
export type DatedStep = { readonly step: Step; readonly at: Date };

/**
 * Writes steps of different charges, at most one of each, and returns the charges as they are then. An order that waits for
 * one of them is told by a job of the same transaction.
 */
export async function writeSteps({ queue }: Deps, tx: Sql, steps: readonly DatedStep[]): Promise<LivingCharge[]> {
  const counted = steps.map(({ step, at }) => ({ ...step, at, after: countedEvent(step) }));
  const charges = counted.map(({ after }) => after);
  if (charges.length > 0) {
    await updateCharges(
      tx,
      charges,
      counted.map(({ at }) => at),
    );
  }
  const announced = counted.flatMap(({ after, event, at }) => (event ? [eventOf(after, event, at)] : []));
  if (announced.length > 0) await insertEvents(tx, announced);
  const awaited = counted.flatMap(({ after, event }) => (isAwaited(event) ? (followerOf(after) ?? []) : []));
  if (awaited.length > 0) await queue.enqueue(tx, 'transaction.follow', awaited);
  return charges;
}

export async function writeStep(deps: Deps, tx: Sql, step: Step, at: Date): Promise<LivingCharge> {
  const [after] = await writeSteps(deps, tx, [{ step, at }]);
  return after!;
}

/** The event that tells of a charge as it is now. */
export function eventOf(charge: LivingCharge, type: string, at: Date) {
  return {
    id: uuidV7(at),
    accountId: charge.accountId,
    type,
    objectId: charge.id,
    sequence: charge.eventCount,
    occurredAt: at,
    object: chargeView(charge),
  };
}

/** What an order waits for is money, or that there will be none; a refund that is asked for counts though nothing tells of it. */
function isAwaited(event: Step['event']): boolean {
  return event !== 'charge.active' && event !== 'charge.overdue';
}

function followerOf({ accountId, transactionId }: LivingCharge) {
  return transactionId === undefined ? undefined : { accountId, transactionId };
}

function countedEvent({ after, event }: Step): LivingCharge {
  return event ? { ...after, eventCount: after.eventCount + 1 } : after;
}
