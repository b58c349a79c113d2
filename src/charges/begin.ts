// The first moment of charges that were just written: what they announce, wait for and ask their rails for.
import { insertEvents } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Sql } from '../storage/database.ts';
import { isOrdered, type LivingCharge } from './charge.ts';
import { closesAt } from './owed.ts';
import { insertTimers, type NewTimer } from './store-timers.ts';
import { eventOf } from './write.ts';

/** Part of the transaction that writes the charges. */
export async function beginLives(
  { queue }: { readonly queue: Queue },
  tx: Sql,
  charges: readonly LivingCharge[],
): Promise<void> {
  // None of these waits for another.
  await Promise.all([
    insertEvents(
      tx,
      charges.map(charge => eventOf(charge, 'charge.created', charge.createdAt)),
    ),
    insertTimers(tx, charges.flatMap(timersOf)),
    queue.enqueue(tx, 'charge.issue', charges.flatMap(issuesOf)),
  ]);
}

function timersOf(charge: LivingCharge): NewTimer[] {
  const { id: chargeId, accountId } = charge;
  return [
    { chargeId, accountId, kind: 'overdue', at: charge.dueAt },
    { chargeId, accountId, kind: 'expire', at: closesAt(charge), isAwaited: isOrdered(charge) },
  ];
}

function issuesOf({ id: chargeId, accountId, ways }: LivingCharge) {
  return ways.filter(({ status }) => status === 'CREATING').map(({ method }) => ({ accountId, chargeId, method }));
}
