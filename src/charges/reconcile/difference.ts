// What can differ between a bank's record of a payment and ours. Pure.
import type { MoneyReturn, Receipt } from '../../rails/rail.ts';
import type { RecordedPayment, RecordedRefund } from '../store/compare-day.ts';

const DIFFERENCE_KINDS = [
  /** The bank has received it; it is not recorded here. */
  'not_here',
  /** The bank has received it; it belongs to no charge and waits for a person. */
  'unmatched',
  /** It is recorded here; the bank does not know it. */
  'not_at_bank',
  'amount',
  /** It is recorded on another charge than the one that the bank names. */
  'charge',
  'ledger_amount',
  /** Money went back, or is about to, and that is not recorded here. */
  'refund_not_here',
  'refund_not_at_bank',
  'refund_amount',
  'refund_status',
  'refund_ledger_amount',
  /** The bank has it; it belongs to no mandate. */
  'recurrence_not_here',
  /** The bank was asked for it; it is not recorded here. */
  'collection_not_here',
] as const;

export type Difference = {
  readonly kind: (typeof DIFFERENCE_KINDS)[number];
  /** The bank's id of the payment, recurrence or collection. */
  readonly reference: string;
  readonly chargeId?: string;
  /** The refund, or the bank's id of it. */
  readonly refund?: string;
  /** An amount in cents, a status or a charge, on each side. */
  readonly here?: bigint | string;
  readonly atBank?: bigint | string;
};

type Pair = {
  readonly receipt: Receipt;
  readonly payment: RecordedPayment | undefined;
  /** The charge named by the bank, if it is one of this service. */
  readonly chargeId: string | undefined;
  /** Absent: it is not kept as an unmatched receipt. */
  readonly isDecided: boolean | undefined;
  readonly now: Date;
};

/** A refund sent this recently may not be known to the bank yet. */
const ON_ITS_WAY_MS = 3_600_000;

export function differencesOf({ receipt, payment, chargeId, isDecided, now }: Pair): Difference[] {
  const { reference, amountCents, returns } = receipt;
  if (!payment) {
    // A person has decided that it does not pay a charge.
    if (isDecided === true) return [];
    return [{ kind: isDecided === false ? 'unmatched' : 'not_here', reference, atBank: amountCents }];
  }
  const about = { reference, chargeId: payment.chargeId };
  const found: Difference[] = [];
  if (payment.amountCents !== amountCents) {
    found.push({ kind: 'amount', ...about, here: payment.amountCents, atBank: amountCents });
  }
  if (chargeId !== undefined && chargeId !== payment.chargeId) {
    found.push({ kind: 'charge', ...about, here: payment.chargeId, atBank: chargeId });
  }
  if (payment.ledgerCents !== payment.amountCents) {
    found.push({ kind: 'ledger_amount', ...about, here: payment.ledgerCents, atBank: amountCents });
  }
  for (const reported of returns) {
    const refund = payment.refunds.find(candidate => isSame(candidate, reported));
    found.push(...differencesOfReturn(reported, refund).map(difference => ({ ...about, ...difference })));
  }
  for (const refund of payment.refunds) {
    if (returns.some(reported => isSame(refund, reported))) continue;
    if (!isExpectedAtBank(refund, now)) continue;
    found.push({ kind: 'refund_not_at_bank', ...about, refund: refund.id, here: refund.amountCents });
  }
  return found;
}

type RefundDifference = Omit<Difference, 'reference' | 'chargeId'>;

function differencesOfReturn(reported: MoneyReturn, refund: RecordedRefund | undefined): RefundDifference[] {
  if (!refund) {
    // A refund that was attempted at the bank itself and failed moved no money.
    return reported.status === 'FAILED'
      ? []
      : [{ kind: 'refund_not_here', refund: reported.reference, atBank: reported.amountCents }];
  }
  const found: RefundDifference[] = [];
  const { id, amountCents, status, ledgerCents } = refund;
  if (amountCents !== reported.amountCents) {
    found.push({ kind: 'refund_amount', refund: id, here: amountCents, atBank: reported.amountCents });
  }
  if (status !== reported.status)
    found.push({ kind: 'refund_status', refund: id, here: status, atBank: reported.status });
  const expectedCents = status === 'DONE' ? amountCents : 0n;
  if (ledgerCents !== expectedCents) {
    found.push({ kind: 'refund_ledger_amount', refund: id, here: ledgerCents, atBank: reported.amountCents });
  }
  return found;
}

function isSame({ id, reference }: RecordedRefund, reported: MoneyReturn): boolean {
  return id === reported.refundId || reference === reported.reference;
}

function isExpectedAtBank({ status, submittedAt }: RecordedRefund, now: Date): boolean {
  if (status !== 'PENDING') return status === 'DONE';
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() > ON_ITS_WAY_MS;
}
