// Marks unmatched receipts that may be a payment which came to be known after them.
import type { Sql } from '../storage/database.ts';
import { mayBeSame, type ReadReceipt } from './possible-duplicate.ts';
import { findKnownMoney, markDuplicates } from './store-unmatched.ts';

/**
 * Receipts that were kept for want of a txid may be the same money as an entry that paid a charge. In the transaction of its
 * payment: the next import of the entry finds it known and compares nothing.
 */
export async function markDuplicatesOf(tx: Sql, entries: readonly ReadReceipt[]): Promise<void> {
  for (const entry of entries) {
    const known = await findKnownMoney(tx, entry.amountCents, entry.postedDay);
    const references = known.filter(money => mayBeSame(money, entry)).map(({ reference }) => reference);
    if (references.length > 0) await markDuplicates(tx, references, entry.reference);
  }
}
