// Writes new charges, for every caller: alone, in a batch, of an order, or attached to one later. Each gets its locations and
// numbers, its row, its first event and timers, and the job that registers it, in the transaction of the caller.
import { insertEvents } from '../../events/store.ts';
import type { Sql } from '../../storage/database.ts';
import { type NumberDeps, type NumberOptions, numberCharges } from '../bank-files/number.ts';
import { awaitsBank, type Charge } from '../charge.ts';
import { ISSUE, ISSUE_AFTER_SECONDS } from '../issue/issue-job.ts';
import { insertCharges } from '../store/charges.ts';
import { giveLocations } from '../store/locations.ts';
import { firstTimersOf, insertFirstTimers } from '../store/timers.ts';
import { eventOf, type WriteDeps } from '../write.ts';
import { locateCharges } from './locate.ts';

export type WriteNewDeps = WriteDeps & NumberDeps;

/** A charge to be written, with the hash of the content that a repeat of its request must share. */
type UnwrittenCharge = { readonly charge: Charge; readonly hash: string };

/** The charge as it was written, with the stored answer: the JSON for repeats. */
export type WrittenCharge = { readonly charge: Charge; readonly answer: string };

/**
 * Returns the written charges by their ids. Skips a charge whose id or externalId is taken, and one of a batch whose agreement has too
 * few numbers left: the caller writes it singly. A single charge is refused when its agreement has no number left and it has no other
 * method.
 */
export async function writeNewCharges(
  deps: WriteNewDeps,
  tx: Sql,
  unwritten: readonly UnwrittenCharge[],
  options: NumberOptions,
): Promise<ReadonlyMap<string, WrittenCharge>> {
  const located = await locateCharges(
    tx,
    deps.rails,
    unwritten.map(({ charge }) => charge),
  );
  const numbered = await numberCharges(tx, deps, located, options);
  const rows = unwritten.flatMap(({ hash }, index) => {
    const charge = numbered[index];
    return charge ? { charge, hash } : [];
  });
  const answers = await insertCharges(tx, rows);
  const written = rows.flatMap(({ charge }) => (answers.has(charge.id) ? charge : []));
  await begin(deps, tx, written);
  return new Map(written.map(charge => [charge.id, { charge, answer: answers.get(charge.id)! }]));
}

/** One job registers all of the charges with their rails. */
async function begin({ queue, links }: WriteDeps, tx: Sql, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  const jobOf = (some: readonly Charge[]) =>
    some.length === 0 ? [] : [{ charges: some.map(({ id: chargeId, accountId }) => ({ accountId, chargeId })) }];
  // These statements do not depend on each other, so they are sent together.
  await Promise.all([
    insertEvents(
      tx,
      charges.map(charge => eventOf(links, charge, 'charge.created', charge.createdAt)),
    ),
    insertFirstTimers(tx, charges.map(firstTimersOf)),
    giveLocations(tx, charges),
    queue.enqueue(tx, ISSUE, jobOf(charges.filter(charge => !awaitsBank(charge)))),
    queue.enqueue(tx, ISSUE, jobOf(charges.filter(awaitsBank)), { startAfterSeconds: ISSUE_AFTER_SECONDS }),
  ]);
}
