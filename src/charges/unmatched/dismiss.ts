// Dismisses an unmatched receipt: a person has decided that it pays no charge, or that it is already recorded.
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { decideUnmatched, findUnmatched } from './store.ts';
import { dismissUnreadable, findDismissed } from './store-unreadable.ts';
import { unmatchedView, unreadableView } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** The receipt leaves the list but stays stored. Repeating it changes nothing. Refuses an unknown reference. */
export async function dismissUnmatched({ db, clock }: Deps, reference: string) {
  return db.transaction(async tx => {
    const now = clock.now();
    const unreadable = await dismissUnreadable(tx, reference, now);
    await decideUnmatched(tx, [reference], now);
    const receipt = await findUnmatched(tx, reference);
    const dismissed = unreadable ?? (receipt ? undefined : await findDismissed(tx, reference));
    if (dismissed) {
      setAuditObject(dismissed.reference);
      return unreadableView(dismissed);
    }
    if (!receipt) throw new AppError('not_found', 'There is no unmatched payment with this reference.');
    setAuditObject(receipt.reference);
    return unmatchedView(receipt);
  });
}
