// Books a payment that the bank has taken back.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { unreturnedCents } from '../life.ts';
import { recordReturnsOf } from '../refund/returns.ts';
import { lockCharges } from '../store/charges.ts';
import { type BookDeps, type Booking, type Told, unchanged } from './booking.ts';
import { markOf } from './entry-mark.ts';

/** Under the lock of the charge: two files may report one reversal at the same time. */
export function bookReversal(deps: BookDeps, told: Told, { id }: Charge): Promise<Booking> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    return charge ? reverse(deps, tx, told, charge) : { outcome: 'unmatched' };
  });
}

async function reverse(deps: BookDeps, tx: Sql, told: Told, charge: Charge): Promise<Booking> {
  const { entry, count, fileDay } = told;
  const mark = markOf(entry, count);
  const payment = findReversible(told, charge);
  if (told.isToldBefore)
    return payment ? { outcome: 'needs_attention', remark: MAY_BE_FURTHER } : { outcome: 'repeated' };
  // This file has brought it itself, before its reading was cut off.
  if (charge.refunds.some(({ reference }) => reference?.endsWith(mark))) return { outcome: 'reversed' };
  const day = entry.occurrenceDay ?? fileDay ?? civilDay(deps.clock.now());
  if (charge.refunds.some(refund => mayBeSameReversal(refund, charge, entry.paidCents, day))) {
    const remark = 'The bank may have told of this reversal before, in other words.';
    return unchanged(told, { outcome: 'needs_attention', remark });
  }
  if (!payment) {
    const remark = 'The bank reversed something that was not paid here.';
    return unchanged(told, { outcome: 'needs_attention', remark });
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

/** The remark on an identical entry in another file, while there is money that it may have reversed. */
const MAY_BE_FURTHER = 'The bank reports a reversal again: it may be of a payment that came since.';

/** The payment that a bank may have taken back: one of that amount, else one of which so much is here. */
function findReversible({ rail, entry }: Told, charge: Charge): Payment | undefined {
  const { paidCents: cents } = entry;
  const payments = charge.payments.filter(({ method }) => method === rail.method).toReversed();
  const fits = (payment: Payment) => unreturnedCents(charge, payment) >= (cents || payment.amountCents);
  return payments.find(one => one.amountCents === cents && fits(one)) ?? payments.find(fits);
}

/**
 * As with payments: two reversals of a day and amount are one until a person says otherwise. A return that a pix rail
 * has reported has no day in its reference, and is compared by the amount alone.
 */
function mayBeSameReversal(
  { kind, amountCents, reference = '' }: Refund,
  { payments }: Charge,
  cents: bigint,
  day: CivilDay,
): boolean {
  const isSameAmount =
    cents === 0n ? payments.some(payment => payment.amountCents === amountCents) : amountCents === cents;
  const [told] = /^\d{4}-\d{2}-\d{2}(?= )/.exec(reference) ?? [];
  return kind === 'return' && isSameAmount && (told === undefined || told === day);
}
