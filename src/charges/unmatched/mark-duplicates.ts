// Marks unmatched receipts that may be the same money as a payment recorded later.
import { civilDay } from '../../lib/civil-days.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payment } from '../charge.ts';
import { mayBeSame, type ReadReceipt } from '../receive/same-money.ts';
import { findWaitingMoney, markDuplicates } from './store.ts';

const NONE_LISTED: ReadonlySet<string> = new Set();

/**
 * Receipts kept without a txid may be the same money as a payment that a bank, a person or a later entry reports. Called in the
 * transaction of the payment, because the next import of the entry finds it known and compares nothing.
 */
export async function markDuplicatesOf(
  tx: Sql,
  payments: readonly { readonly payment: Payment; readonly readFrom?: ReadReceipt | undefined }[],
): Promise<void> {
  const entries = payments.flatMap(({ payment, readFrom }) => {
    if (!ABILITIES[payment.method].hasPaymentIds && !payment.isByPix) return [];
    return readFrom ?? { ...payment, postedDay: civilDay(payment.paidAt), listed: NONE_LISTED };
  });
  if (entries.length === 0) return;
  const waiting = await findWaitingMoney(tx, entries);
  const marks = waiting.flatMap(money => {
    const same = entries.find(entry => mayBeSame(money, entry));
    return same ? { reference: money.reference, duplicateOf: same.reference } : [];
  });
  if (marks.length > 0) await markDuplicates(tx, marks);
}
