// Refuses to start without a rail that charges are still on: their payments, refunds and returns would be lost. Refuses an agreement
// that would give numbers of boletos again.
import { DAY_MS } from '../../lib/civil-days.ts';
import { StartError } from '../../lib/errors.ts';
import { isAbsent } from '../../rails/absent.ts';
import { sharedNumbers } from '../../rails/number-ranges.ts';
import { allRails, currentRails, type Rails } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type ChangedAgreement, findGivenNumbers, recordAgreements } from '../bank-files/store-agreements.ts';
import { isNeeded, recordRails } from '../store/rails.ts';

/** A payment can be refunded or taken back for this long after the last day on which it can be made. */
const RETURN_DAYS = 90;

export async function requireRails(db: Database, rails: Rails, now: Date): Promise<void> {
  const present = allRails(rails).filter(rail => !isAbsent(rail));
  const expiredSince = new Date(now.getTime() - RETURN_DAYS * DAY_MS);
  await db.transaction(async tx => {
    const gone = await recordRails(tx, present, now);
    refuseChanged(await recordAgreements(tx, present));
    await requireFreeNumbers(tx, rails);
    const needed = await Promise.all(gone.map(rail => isNeeded(tx, rail, expiredSince)));
    const missing = gone.filter((_, index) => needed[index]);
    if (missing.length === 0) return;
    const names = missing.map(({ name, method }) => `${name} (${method})`).join(', ');
    // Thrown in the transaction: a start that is refused records nothing.
    throw new StartError(
      `Charges are still on a rail that is not configured: ${names}. Configure it again, with "former": true if it is to get no new ones.`,
    );
  });
}

/** Boletos of the agreement before are still paid, and its numbers must stay known: both belong to its own name. */
function refuseChanged([changed]: readonly ChangedAgreement[]): void {
  if (!changed) return;
  const { rail, before, now, first, last } = changed;
  throw new StartError(
    `${rail} in boletos has given the numbers ${first} to ${last} of the agreement ${before}, and is now set to the agreement ${now}: ` +
      `set it back, with "former": true if it is to get no new boletos, and give the other agreement an entry with a name of its own.`,
  );
}

/** Another rail may have given numbers of the same agreement before, such as one that was renamed. */
async function requireFreeNumbers(tx: Sql, rails: Rails): Promise<void> {
  const giving = currentRails(rails).flatMap(({ name, numbers }) => (numbers ? { name, numbers } : []));
  if (giving.length === 0) return;
  const given = await findGivenNumbers(
    tx,
    giving.map(({ numbers }) => numbers.agreement),
  );
  for (const { name, numbers } of giving) {
    const own = given.find(({ rail }) => rail === name);
    const first = own && own.last >= numbers.first ? own.last + 1n : numbers.first;
    const other = given.find(one => one.rail !== name && sharedNumbers(one, { ...numbers, first }));
    if (!other) continue;
    throw new StartError(
      `The numbers ${other.first} to ${other.last} of the agreement of ${name} were given by ${other.rail}: set firstNumber of ${name} ` +
        `in boletos above them, or its lastNumber below.`,
    );
  }
}
