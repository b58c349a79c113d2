// Books the reversal of a payment by the bank.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { unreturnedCents } from '../life.ts';
import { recordReturnsOf } from '../refund/returns.ts';
import { lockCharges } from '../store/charges.ts';
import { type BookDeps, type Booking, type ReportedEntry, unchanged } from './booking.ts';
import { markOf } from './entry-mark.ts';

/** Under the lock of the charge: two files may report one reversal at the same time. */
export function bookReversal(deps: BookDeps, reported: ReportedEntry, { id }: Charge): Promise<Booking> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    return charge ? reverse(deps, tx, reported, charge) : { outcome: 'unmatched' };
  });
}

async function reverse(deps: BookDeps, tx: Sql, reported: ReportedEntry, charge: Charge): Promise<Booking> {
  const { entry, count, fileDay } = reported;
  const mark = markOf(entry, count);
  const payment = findReversible(reported, charge);
  if (reported.isRepeated)
    return payment ? { outcome: 'needs_attention', remark: MAY_BE_FURTHER } : { outcome: 'repeated' };
  // This same file reported it before its reading was interrupted.
  if (charge.refunds.some(({ reference }) => reference?.endsWith(mark))) return { outcome: 'reversed' };
  const day = entry.occurrenceDay ?? fileDay ?? civilDay(deps.clock.now());
  if (charge.refunds.some(refund => mayBeSameReversal(refund, charge, entry.paidCents, day))) {
    const remark = 'The bank may already have reported this reversal under another reference.';
    return unchanged(reported, { outcome: 'needs_attention', remark });
  }
  if (!payment) {
    const remark = 'The bank reversed a payment that is not recorded.';
    return unchanged(reported, { outcome: 'needs_attention', remark });
  }
  await recordReturnsOf(deps, tx, charge, payment, [
    {
      reference: `${day} ${mark}`,
      amountCents: entry.paidCents || payment.amountCents,
      status: 'DONE',
      at: deps.clock.now(),
      reason: 'The bank reversed the payment of the boleto.',
    },
  ]);
  return { outcome: 'reversed' };
}

/** The remark on an identical entry of another file, while the charge has a payment that it may reverse. */
const MAY_BE_FURTHER = 'The bank reports a reversal again: it may be of a payment received since.';

/** The payment that the bank may have reversed: one of that amount, else one that still holds that amount. */
function findReversible({ rail, entry }: ReportedEntry, charge: Charge): Payment | undefined {
  const { paidCents: cents } = entry;
  const payments = charge.payments.filter(({ method }) => method === rail.method).toReversed();
  const fits = (payment: Payment) => unreturnedCents(charge, payment) >= (cents || payment.amountCents);
  return payments.find(one => one.amountCents === cents && fits(one)) ?? payments.find(fits);
}

/**
 * As with payments, two reversals of the same day and amount are one until a person says otherwise. A return reported by a pix rail
 * has no day in its reference and is compared by amount alone.
 */
function mayBeSameReversal(
  { kind, amountCents, reference = '' }: Refund,
  { payments }: Charge,
  cents: bigint,
  day: CivilDay,
): boolean {
  const isSameAmount =
    cents === 0n ? payments.some(payment => payment.amountCents === amountCents) : amountCents === cents;
  const [reportedDay] = /^\d{4}-\d{2}-\d{2}(?= )/.exec(reference) ?? [];
  return kind === 'return' && isSameAmount && (reportedDay === undefined || reportedDay === day);
}
