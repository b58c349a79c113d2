// Dismissing an unmatched receipt: a person has decided that it pays no charge, or that it is recorded already.
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { decideUnmatched, findUnmatched } from './store.ts';
import { unmatchedView } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** The receipt leaves the list and is remembered. A second time changes nothing. Refuses a reference that is not kept. */
export async function dismissUnmatched({ db, clock }: Deps, reference: string) {
  return db.transaction(async tx => {
    await decideUnmatched(tx, [reference], clock.now());
    const receipt = await findUnmatched(tx, reference);
    if (!receipt) throw new AppError('not_found', 'There is no unmatched payment with this reference.');
    setAuditObject(receipt.reference);
    return unmatchedView(receipt);
  });
}
