// The ledger entries for payments, settlements and refunds of charges.
import { bankFeeEntry, paymentEntry, refundEntry, settlementEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { uuidV7 } from '../lib/ids.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Charge, Payment, Refund } from './charge.ts';
import type { Step } from './life.ts';

/**
 * The entry has the date of the payment, not of the report: a boleto may be credited before its payment is reported. For money that is
 * available at once, the bank's fee is a second entry.
 */
export function paymentPostings(charge: Charge, payment: Payment): Entry[] {
  const fees = isOwedByBank(payment) ? [] : feePostings(charge, payment, payment.paidAt);
  return [paymentPosting(charge, payment), ...fees];
}

/** The bank's fee, when reported after the payment. For a boleto that is not credited yet, the settlement posts it. */
export function laterFeePostings(charge: Charge, payment: Payment, at: Date): Entry[] {
  const isForSettlement = isOwedByBank(payment) && !isSettled(charge);
  return isForSettlement ? [] : feePostings(charge, payment, at);
}

function feePostings({ id, accountId }: Charge, payment: Payment, at: Date): Entry[] {
  const { feeCents: amountCents = 0n } = payment;
  if (amountCents === 0n) return [];
  return [bankFeeEntry({ id: uuidV7(at), accountId, chargeId: id, paymentId: payment.id, at, amountCents })];
}

function paymentPosting({ id, accountId }: Charge, payment: Payment): Entry {
  return paymentEntry({
    id: uuidV7(payment.paidAt),
    accountId,
    chargeId: id,
    paymentId: payment.id,
    at: payment.paidAt,
    amountCents: payment.amountCents,
    isReceivable: isOwedByBank(payment),
  });
}

/** One entry for each charge whose step settled a boleto, and one for the bank's fee. */
export function settlementPostings(
  steps: readonly { readonly before: Charge; readonly step: Step; readonly at: Date }[],
): Entry[] {
  const credited = steps.filter(({ before, step }) => !isSettled(before) && isSettled(step.after));
  return credited.flatMap(({ before, at }) =>
    before.payments.filter(isOwedByBank).flatMap(payment => {
      const { id: chargeId, accountId } = before;
      const { amountCents } = payment;
      const settled = settlementEntry({ id: uuidV7(at), accountId, chargeId, at, amountCents });
      return [settled, ...feePostings(before, payment, at)];
    }),
  );
}

/**
 * The entry of a refund that is done. `causeId`: the refund, or the dispute if a person recorded its end. The bank may undo that end and
 * later report the return as done, which is then posted with the refund as its cause.
 */
export function refundPosting({ id, accountId }: Charge, { amountCents }: Refund, causeId: string, at: Date): Entry {
  return refundEntry({ id: uuidV7(at), accountId, chargeId: id, causeId, at, amountCents });
}

/** Only the boleto that paid the charge is a receivable: there is no report of when a repeated payment is credited. */
function isOwedByBank({ method, isRepeat }: Payment): boolean {
  return ABILITIES[method].isCreditedLater && !isRepeat;
}

function isSettled({ methods }: Charge): boolean {
  return methods.some(({ method, status }) => ABILITIES[method].isCreditedLater && status === 'SETTLED');
}
