// Refuses to start without a rail that still has charges: their payments, refunds and returns would be lost. Refuses an agreement
// that would reuse numbers of boletos.
import { DAY_MS } from '../../lib/civil-days.ts';
import { StartError } from '../../lib/errors.ts';
import { isAbsent } from '../../rails/absent.ts';
import { sharedNumbers } from '../../rails/number-ranges.ts';
import { allRails, currentRails, type Rails } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type ChangedAgreement, findGivenNumbers, recordAgreements } from '../bank-files/store-agreements.ts';
import { isNeeded, recordRails } from '../store/rails.ts';

/** How long after the last payable day a payment can be refunded or taken back. */
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
    // Thrown inside the transaction, so that a refused start records nothing.
    throw new StartError(
      `A rail that still has charges is not configured: ${names}. Configure it again, with "former": true if it should get no new charges.`,
    );
  });
}

/** Boletos of the former agreement are still paid, and its numbers must stay known, so it keeps its name. */
function refuseChanged([changed]: readonly ChangedAgreement[]): void {
  if (!changed) return;
  const { rail, before, now, first, last } = changed;
  throw new StartError(
    `${rail} in boletos has given out the numbers ${first} to ${last} of the agreement ${before}, but is now set to the agreement ${now}: ` +
      `set it back, with "former": true if it should get no new boletos, and add the other agreement under its own name.`,
  );
}

/** Another rail may already have given out numbers of the same agreement, such as one that was renamed. */
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
