// Records money that went back out of a payment: a refund requested here has ended, or a bank has taken money back without a
// request, for example after a fraud, which is recorded as a refund of the kind `return`. If the payer's bank asked for it, it has a dispute.
import { postEntries } from '../../ledger/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { MoneyReturn } from '../../rails/rail.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import type { RecordedEnd } from '../disputes/dispute.ts';
import { confirmDispute, endDispute, openDispute } from '../disputes/record.ts';
import { type RefundEnd, refundEnded, returnBegun, unreturnedCents } from '../life.ts';
import { refundPosting } from '../postings.ts';
import { lockCharges } from '../store/charges.ts';
import { hasReference, insertReturn, type KnownReturn, updateRefund } from '../store/money.ts';
import { type WriteDeps, writeStep } from '../write.ts';

export type ReturnDeps = WriteDeps & {
  readonly db: Database;
  readonly clock: Clock;
  readonly disputeDays: number;
};

/** Safe to call with the same reports any number of times, in any order. */
export async function recordReturns(
  deps: ReturnDeps,
  chargeId: string,
  paymentReference: string,
  returns: readonly MoneyReturn[],
): Promise<void> {
  if (returns.length === 0) return;
  await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const payment = charge?.payments.find(candidate => hasReference(candidate, paymentReference));
    if (charge && payment) await recordReturnsOf(deps, tx, charge, payment, returns);
  });
}

/** The charge is locked. */
export async function recordReturnsOf(
  deps: ReturnDeps,
  tx: Sql,
  locked: Charge,
  payment: Payment,
  returns: readonly MoneyReturn[],
): Promise<void> {
  let charge = locked;
  for (const reported of returns) {
    const ofPayment = charge.refunds.filter(({ paymentId }) => paymentId === payment.id);
    const inFile = ofPayment.find(refund => isInFile(charge, payment, refund, reported));
    // A failed refund that was requested at the bank itself needs no record.
    if (!inFile && !ofPayment.some(refund => isSame(refund, reported)) && reported.status !== 'FAILED') {
      charge = await beginReturn(deps, tx, charge, payment.id, reported);
    }
    charge = await disputed(deps, tx, charge, payment, reported, inFile);
    if (!inFile) charge = await endReported(deps, tx, charge, payment, reported);
  }
}

/** The charge with a dispute at the return, if the payer's bank asked for it. */
async function disputed(
  deps: ReturnDeps,
  tx: Sql,
  charge: Charge,
  { id }: Payment,
  reported: MoneyReturn,
  inFile: Refund | undefined,
): Promise<Charge> {
  const refund = inFile ?? charge.refunds.find(({ paymentId, ...each }) => paymentId === id && isSame(each, reported));
  if (!reported.dispute || !refund || refund.disputeId !== undefined) return charge;
  return openDispute(deps, tx, charge, refund, reported.dispute);
}

async function endReported(
  deps: ReturnDeps,
  tx: Sql,
  charge: Charge,
  { id }: Payment,
  { status, ...reported }: MoneyReturn,
): Promise<Charge> {
  const refund = charge.refunds.find(({ paymentId, ...each }) => paymentId === id && isSame(each, reported));
  if (!refund || status === 'PENDING') return charge;
  if (isEndedBy(refund, status)) return endRefund(deps, tx, charge, refund, { ...reported, status });
  if (refund.isUnconfirmed && refund.disputeId !== undefined && refund.status === status) {
    await confirmDispute(tx, refund.disputeId, deps.clock.now());
  }
  return charge;
}

/** Whether `recordReturns` would change anything, by the refunds that the payment has. */
export function hasNewReturn(returns: readonly MoneyReturn[], known: readonly KnownReturn[]): boolean {
  return returns.some(reported => {
    const refund = known.find(candidate => isSame(candidate, reported));
    if (!refund) return reported.status !== 'FAILED';
    const isConfirmed = refund.isUnconfirmed && refund.status === reported.status;
    const isUndisputed = reported.dispute !== undefined && refund.disputeId === undefined;
    return isEndedBy(refund, reported.status) || isConfirmed || isUndisputed;
  });
}

/**
 * A refund that the bank refused but now shows as done is done: the money has left, and a second refund would send it again. What a
 * person recorded as gone has stayed here if the bank says so.
 */
function isEndedBy({ status, isUnconfirmed }: KnownReturn, reported: MoneyReturn['status']): boolean {
  if (status === 'PENDING') return reported !== 'PENDING';
  return status === 'FAILED' ? reported === 'DONE' : isUnconfirmed === true && reported === 'FAILED';
}

function isSame(
  { id, reference }: Pick<KnownReturn, 'id' | 'reference'>,
  reported: Pick<MoneyReturn, 'refundId' | 'reference'>,
): boolean {
  return id === reported.refundId || reference === reported.reference;
}

/**
 * Whether a return file has already reported the return that the PSP reports now, so that the payment has nothing left to return. The
 * file has its own day and mark, but no id of the PSP.
 */
function isInFile(
  charge: Charge,
  payment: Payment,
  { kind, amountCents, reference = '' }: Refund,
  reported: MoneyReturn,
) {
  if (kind !== 'return' || !FROM_FILE.test(reference) || FROM_FILE.test(reported.reference)) return false;
  return amountCents === reported.amountCents && unreturnedCents(charge, payment) < reported.amountCents;
}

const FROM_FILE = /^\d{4}-\d{2}-\d{2} [0-9a-f]{32}$/;

async function beginReturn(
  deps: ReturnDeps,
  tx: Sql,
  charge: Charge,
  paymentId: string,
  { reference, amountCents, reason }: MoneyReturn,
): Promise<Charge> {
  const now = deps.clock.now();
  const refund: Refund = {
    id: uuidV7(now),
    kind: 'return',
    paymentId,
    amountCents,
    status: 'PENDING',
    reference,
    createdAt: now,
    ...(reason !== undefined && { reason }),
  };
  await insertReturn(tx, charge, refund);
  return writeStep(deps, tx, returnBegun(charge, refund), now);
}

/**
 * Writes the end of a refund, requested here or not. `recorded`: a person says how the dispute about it ended. The caller holds the row
 * lock of the charge.
 */
export async function endRefund(
  deps: WriteDeps & Pick<ReturnDeps, 'clock'>,
  tx: Sql,
  charge: Charge,
  refund: Refund,
  end: RefundEnd,
  recorded?: RecordedEnd,
): Promise<Charge> {
  const at = deps.clock.now();
  const { id, disputeId } = refund;
  await updateRefund(tx, charge, id, end, at);
  if (disputeId !== undefined) await endDispute(tx, { ...refund, disputeId }, end, at, recorded);
  if (end.status === 'DONE') await postEntries(tx, [refundPosting(charge, refund, (recorded && disputeId) ?? id, at)]);
  return writeStep(deps, tx, refundEnded(charge, refund.id, end), at);
}
