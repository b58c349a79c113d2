// Books a payment that the bank has taken back.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { unreturnedCents } from '../life.ts';
import { recordReturnsOf } from '../returns.ts';
import { lockCharges } from '../store.ts';
import { type BookDeps, type Booking, type Told, unchanged } from './booking.ts';
import { markOf } from './entry-mark.ts';

/** Under the lock of the charge: two files may tell of one reversal at the same time. */
export function bookReversal(deps: BookDeps, told: Told, { id }: Charge): Promise<Booking> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    return charge ? reverse(deps, tx, told, charge) : { outcome: 'unmatched' };
  });
}

async function reverse(deps: BookDeps, tx: Sql, told: Told, charge: Charge): Promise<Booking> {
  const { entry, count, fileDay } = told;
  const mark = markOf(entry, count);
  const recorded = charge.refunds.find(({ reference }) => reference?.endsWith(mark));
  if (recorded) return reverseAgain(told, charge, recorded);
  if (told.isToldBefore) return reverseTold(charge, entry.paidCents);
  const day = entry.occurrenceDay ?? fileDay ?? civilDay(deps.clock.now());
  if (charge.refunds.some(refund => mayBeSameReversal(refund, charge, entry.paidCents, day))) {
    const remark = 'The bank may have told of this reversal before, in other words.';
    return unchanged(told, { outcome: 'needs_attention', remark });
  }
  const payment = findReversible(charge, entry.paidCents);
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

/** The payment that a bank may have taken back: one of that amount, else one of which so much is here. */
function findReversible(charge: Charge, cents: bigint): Payment | undefined {
  const payments = charge.payments.filter(({ method }) => method === 'boleto').toReversed();
  const fits = (payment: Payment) => unreturnedCents(charge, payment) >= (cents || payment.amountCents);
  return payments.find(one => one.amountCents === cents && fits(one)) ?? payments.find(fits);
}

/** The words of a reversal that another file has brought, and that took nothing back then: a payment may have come since. */
function reverseTold(charge: Charge, cents: bigint): Booking {
  if (!findReversible(charge, cents)) return { outcome: 'repeated' };
  return { outcome: 'needs_attention', remark: 'The bank told of this reversal before the payment that is here now.' };
}

/** The same words as of a recorded reversal. They may tell of a further one if the boleto was paid again on that day. */
function reverseAgain(told: Told, charge: Charge, { paymentId }: Refund): Booking {
  if (!told.isToldBefore) return { outcome: 'reversed' };
  const reversed = charge.payments.find(({ id }) => id === paymentId);
  const isPaidAgain = charge.payments.some(
    payment =>
      payment.method === 'boleto' &&
      payment.id !== paymentId &&
      payment.amountCents === reversed?.amountCents &&
      civilDay(payment.paidAt) === civilDay(reversed.paidAt) &&
      unreturnedCents(charge, payment) === payment.amountCents,
  );
  if (!isPaidAgain) return { outcome: 'repeated' };
  return { outcome: 'needs_attention', remark: 'The bank may have reversed the second payment too.' };
}

/**
 * As with payments: two reversals of a day and amount are one until a person says otherwise. What a pix rail has told to have gone back
 * has no day in its reference, and is compared by the amount alone.
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
