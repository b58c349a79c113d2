// What the movements of a charge's money post in the ledger.
import { paymentEntry, refundEntry, settlementEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { LivingCharge, MethodStatus, Payment, Refund } from './charge.ts';
import type { Step } from './life.ts';

/** Money is dated by its payment, whenever we learn of it: a boleto may have been credited before anybody told us. */
export function paymentPosting({ id, accountId }: LivingCharge, payment: Payment): Entry {
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

/** One entry for each charge whose boleto was credited by its step. */
export function settlementPostings(
  steps: readonly { readonly before: LivingCharge; readonly step: Step; readonly at: Date }[],
): Entry[] {
  const credited = steps.filter(
    ({ before, step }) => boletoStatus(before) !== 'SETTLED' && boletoStatus(step.after) === 'SETTLED',
  );
  return credited.flatMap(({ before: { id, accountId, payments }, at }) =>
    payments
      .filter(isOwedByBank)
      .map(({ amountCents }) => settlementEntry({ id: uuidV7(at), accountId, chargeId: id, at, amountCents })),
  );
}

/** For a refund that is done. */
export function refundPosting({ id, accountId }: LivingCharge, refund: Refund, at: Date): Entry {
  const { amountCents } = refund;
  return refundEntry({ id: uuidV7(at), accountId, chargeId: id, refundId: refund.id, at, amountCents });
}

/** Only the boleto that paid the charge is waited for: of what comes again, nobody tells us when it is credited. */
function isOwedByBank({ method, isRepeat }: Payment): boolean {
  return method === 'boleto' && !isRepeat;
}

function boletoStatus({ ways }: LivingCharge): MethodStatus | undefined {
  return ways.find(({ method }) => method === 'boleto')?.status;
}
