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
 * Writes steps and returns the charges as they are then, each once. Those of one charge come in their order, each from where
 * the one before it led: it is written where the last one leads, and every one of them is told. An order that waits for one of
 * the charges is told by a job of the same transaction.
 */
export async function writeSteps({ queue }: Deps, tx: Sql, steps: readonly DatedStep[]): Promise<LivingCharge[]> {
  const counted = withCounts(steps);
  const last = new Map(counted.map(({ after, at }) => [after.id, { after, at }]));
  const charges = [...last.values()].map(({ after }) => after);
  const announced = counted.flatMap(({ after, event, at }) => (event ? [eventOf(after, event, at)] : []));
  const awaited = counted.flatMap(({ after, event }) => (isAwaited(event) ? (followerOf(after) ?? []) : []));
  const moments = [...last.values()].map(({ at }) => at);
  // None of these waits for another.
  await Promise.all([
    charges.length > 0 && updateCharges(tx, charges, moments),
    announced.length > 0 && insertEvents(tx, announced),
    awaited.length > 0 && queue.enqueue(tx, 'transaction.follow', awaited),
  ]);
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

/** The steps with every event counted, those of the steps before it too. */
function withCounts(steps: readonly DatedStep[]) {
  const told = new Map<string, number>();
  return steps.map(({ step: { after, event }, at }) => {
    const count = (told.get(after.id) ?? 0) + (event ? 1 : 0);
    told.set(after.id, count);
    return { after: { ...after, eventCount: after.eventCount + count }, event, at };
  });
}
