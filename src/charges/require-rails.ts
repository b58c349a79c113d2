// Refuses to start without a rail that charges are still on: their payments, refunds and returns would be lost.
import { DAY_MS } from '../lib/civil-days.ts';
import { StartError } from '../lib/errors.ts';
import { isAbsent } from '../rails/absent.ts';
import { allRails, type Rails } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { recordAgreements } from './store-agreements.ts';
import { isNeeded, recordRails } from './store-rails.ts';

/** A payment can be refunded or taken back for so long after the last day on which it can be made. */
const RETURN_DAYS = 90;

export async function requireRails(db: Database, rails: Rails, now: Date): Promise<void> {
  const present = allRails(rails).filter(rail => !isAbsent(rail));
  const expiredSince = new Date(now.getTime() - RETURN_DAYS * DAY_MS);
  await db.transaction(async tx => {
    const gone = await recordRails(tx, present, now);
    await recordAgreements(tx, present);
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
