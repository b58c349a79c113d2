// Writes the first event, the first timers, the locations and the issue job of new charges, in the transaction that inserts
// them.
import { insertEvents } from '../events/store.ts';
import type { Sql } from '../storage/database.ts';
import { awaitsBank, type Charge, isOrdered } from './charge.ts';
import { ISSUE, ISSUE_AFTER_SECONDS } from './issue-job.ts';
import { closesAt } from './owed.ts';
import { giveLocations } from './store-locations.ts';
import { insertFirstTimers } from './store-timers.ts';
import { eventOf, type WriteDeps } from './write.ts';

/** One job registers all charges of the batch with their rails. */
export async function beginCharges({ queue, links }: WriteDeps, tx: Sql, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  const firstTimers = charges.map(charge => ({ charge, closesAt: closesAt(charge), isOrdered: isOrdered(charge) }));
  const jobOf = (some: readonly Charge[]) =>
    some.length === 0 ? [] : [{ charges: some.map(({ id: chargeId, accountId }) => ({ accountId, chargeId })) }];
  await Promise.all([
    insertEvents(
      tx,
      charges.map(charge => eventOf(links, charge, 'charge.created', charge.createdAt)),
    ),
    insertFirstTimers(tx, firstTimers),
    giveLocations(tx, charges),
    queue.enqueue(tx, ISSUE, jobOf(charges.filter(charge => !awaitsBank(charge)))),
    queue.enqueue(tx, ISSUE, jobOf(charges.filter(awaitsBank)), { startAfterSeconds: ISSUE_AFTER_SECONDS }),
  ]);
}
