// Withdraws the link to the checkout of a charge, after it reached the wrong person; the charge has a new one from then on.
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';
import { lockCharges } from '../store/charges.ts';
import { raiseLinkEpoch } from '../store/links.ts';
import { type Linked, MAX_EPOCH } from './links.ts';

/**
 * Returns the charge with its new link. The epoch names the link to withdraw, so repeating the request withdraws no other. Codes that were
 * already seen can still be paid: cancel the charge to prevent that.
 */
export async function withdrawLink(
  { db }: { readonly db: Database },
  { id, linkEpoch: named }: Linked,
): Promise<Charge> {
  return db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (!charge) throw new AppError('not_found', 'There is no such charge.');
    if (named !== charge.linkEpoch) {
      throw new AppError('wrong_state', 'This link was withdrawn already; the charge has another one.');
    }
    const linkEpoch = await raiseLinkEpoch(tx, charge, MAX_EPOCH);
    if (linkEpoch === undefined) {
      throw new AppError('wrong_state', `The link of this charge was withdrawn ${MAX_EPOCH} times; make a new charge.`);
    }
    return { ...charge, linkEpoch };
  });
}
