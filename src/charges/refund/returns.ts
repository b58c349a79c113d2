// Records money that went back out of a payment: a refund requested here has ended, or a bank has taken money back without a
// request, for example after a fraud, which is recorded as a refund of the kind `return`.
import { postEntries } from '../../ledger/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { MoneyReturn } from '../../rails/rail.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { type RefundEnd, refundEnded, returnBegun, unreturnedCents } from '../life.ts';
import { refundPosting } from '../postings.ts';
import { lockCharges } from '../store/charges.ts';
import { hasReference, insertReturn, type KnownReturn, updateRefund } from '../store/money.ts';
import { type WriteDeps, writeStep } from '../write.ts';

export type ReturnDeps = WriteDeps & { readonly db: Database; readonly clock: Clock };

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
    const ofPayment = (refund: Refund) => refund.paymentId === payment.id && isSame(refund, reported);
    if (charge.refunds.some(refund => refund.paymentId === payment.id && isInFile(charge, payment, refund, reported)))
      continue;
    // A failed refund that was requested at the bank itself needs no record.
    if (!charge.refunds.some(ofPayment) && reported.status !== 'FAILED') {
      charge = await beginReturn(deps, tx, charge, payment.id, reported);
    }
    const refund = charge.refunds.find(candidate => ofPayment(candidate) && isEndedBy(candidate, reported));
    if (refund && reported.status !== 'PENDING') {
      charge = await endRefund(deps, tx, charge, refund, { ...reported, status: reported.status });
    }
  }
}

/** Whether `recordReturns` would change anything, by the refunds that the payment has. */
export function hasNewReturn(returns: readonly MoneyReturn[], known: readonly KnownReturn[]): boolean {
  return returns.some(reported => {
    const refund = known.find(candidate => isSame(candidate, reported));
    return refund ? isEndedBy(refund, reported) : reported.status !== 'FAILED';
  });
}

/**
 * A refund that the bank refused but now shows as done is done: the money has left, and a second refund would send it again.
 */
function isEndedBy({ status }: KnownReturn, reported: MoneyReturn): boolean {
  return status === 'PENDING' ? reported.status !== 'PENDING' : status === 'FAILED' && reported.status === 'DONE';
}

function isSame({ id, reference }: KnownReturn, reported: MoneyReturn): boolean {
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

/** Writes the end of a refund, requested here or not. The caller holds the row lock of the charge. */
export async function endRefund(
  deps: Omit<ReturnDeps, 'db'>,
  tx: Sql,
  charge: Charge,
  refund: Refund,
  end: RefundEnd,
): Promise<Charge> {
  const at = deps.clock.now();
  await updateRefund(tx, charge, refund.id, end, at);
  if (end.status === 'DONE') await postEntries(tx, [refundPosting(charge, refund, at)]);
  return writeStep(deps, tx, refundEnded(charge, refund.id, end), at);
}
