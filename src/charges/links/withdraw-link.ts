// Withdraws the link to the checkout of a charge, after it reached the wrong person; the charge has a new one from then on.
import { noSuch } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';
import { lockCharges } from '../store/charges.ts';
import { storeLinkEpoch } from '../store/links.ts';
import { epochAfter, type Linked } from './links.ts';

/** Returns the charge with its new link. Codes that were already seen can still be paid: cancel the charge to prevent that. */
export async function withdrawLink(
  { db }: { readonly db: Database },
  { id, linkEpoch: named }: Linked,
): Promise<Charge> {
  return db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (!charge) throw noSuch('charge');
    const after = { ...charge, linkEpoch: epochAfter(charge, named, 'charge') };
    await storeLinkEpoch(tx, after);
    return after;
  });
}
