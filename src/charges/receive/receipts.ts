// Takes a bank's reports of received money: records each payment once, and its returns. Money that belongs to no charge is kept for a
// person.
import { AppError, isOutage, isOutageOfOthers } from '../../lib/errors.ts';
import { ABILITIES, methodsThat } from '../../rails/abilities.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { PaidRequest, Rail, Receipt, ReceiptsByTime } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import type { WatchedRail } from '../../rails/watched-rails.ts';
import type { Database } from '../../storage/database.ts';
import { type Charge, paymentRequest } from '../charge.ts';
import { takeDueDay } from '../due-date/change-at-bank.ts';
import { type ReturnDeps, recordReturns } from '../refund/returns.ts';
import { findCharges } from '../store/charges.ts';
import {
  findChargeByBoletoPix,
  findChargeByReference,
  findChargeByTxid,
  findChargeOfPayment,
  hasBoletosByLocation,
  type ReferencedCharge,
} from '../store/money.ts';
import { findUnmatched, insertUnmatched, noteReturned } from '../unmatched/store.ts';
import type { WriteDeps } from '../write.ts';
import { type PayDeps, recordReportedPayment } from './pay.ts';

export type ReceiptDeps = PayDeps &
  WriteDeps &
  Pick<ReturnDeps, 'disputeDays'> & { readonly db: Database; readonly rails: Rails };

/** What became of a bank's report of money: a payment, new or known; a possible duplicate; or refused by the charge. */
type Taken = 'paid' | 'possible_duplicate' | 'refused';

/** Takes a receipt that names the request it pays by its reference. True: it paid a charge, now or earlier. */
export async function takeReceipt(
  deps: ReceiptDeps,
  { rail, names }: Pick<WatchedRail, 'rail' | 'names'>,
  receipt: Receipt,
): Promise<boolean> {
  const { reference, requestReference, isToOtherKey } = receipt;
  const paid = await findPaidCharge(deps, { rail, names }, receipt);
  if (paid) return (await takeReceiptOf(deps, rail, paid.chargeId, receipt, paid.askedCents)) === 'paid';
  const [carrier] = methodsThat(({ carries }) => carries === rail.method);
  const boletoOf = carrier && (await findBoletoOf(deps, rail, requestReference));
  if (carrier && boletoOf !== undefined) {
    return (await takeReceiptOf(deps, { method: carrier }, boletoOf, { ...receipt, isByPix: true })) === 'paid';
  }
  if (await takeReturns(deps, receipt)) return true;
  if (isToOtherKey) {
    // It may have been kept under an earlier key of the rail.
    await deps.db.transaction(tx => noteReturned(tx, reference, returnedCents(receipt)));
    return false;
  }
  const isNamed = requestReference !== undefined && (await findChargeByTxid(deps.db, requestReference)) !== undefined;
  await keepUnmatched(
    deps,
    receipt,
    `The bank names ${isNamed ? 'a charge of another rail' : 'no charge of this service'}.`,
  );
  return false;
}

async function findPaidCharge(
  { db }: ReceiptDeps,
  { rail, names }: Pick<WatchedRail, 'rail' | 'names'>,
  { requestReference, paidRequest }: Receipt,
): Promise<ReferencedCharge | undefined> {
  if (requestReference === undefined) return undefined;
  const found = await findChargeByReference(db, names, rail.method, requestReference);
  if (!found || !paidRequest) return found;
  const [charge] = await findCharges(db, [found.chargeId]);
  return charge && isPaidRequest(charge, rail.method, paidRequest) ? found : undefined;
}

/** The request by its bank id. One with the same terms counts only where a duplicate may exist: it was sent twice or its id was lost. */
function isPaidRequest(charge: Charge, method: Method, { bankId, amountCents, dueDay }: PaidRequest): boolean {
  const sent = charge.methods.find(candidate => candidate.method === method);
  if (!sent) return false;
  if (sent.bankId === bankId) return true;
  if (sent.bankId !== undefined && !sent.isSentAgain) return false;
  const request = paymentRequest(charge, method);
  const isDue = dueDay !== undefined && (dueDay === request.dueDay || dueDay === request.askedDueDay);
  return isDue && amountCents === request.amountCents;
}

/** The charge whose boleto carries the code that was paid. */
async function findBoletoOf({ db }: ReceiptDeps, rail: Rail, txid: string | undefined): Promise<string | undefined> {
  if (txid === undefined) return undefined;
  const chargeId = await findChargeByBoletoPix(db, 'txid', txid);
  if (chargeId !== undefined || rail.watch?.by !== 'time' || !rail.watch.locationOf) return chargeId;
  if (!(await hasBoletosByLocation(db))) return undefined;
  const location = await locationOf(rail.watch, txid);
  return location === undefined ? undefined : findChargeByBoletoPix(db, 'location', location);
}

/** If the bank does not return the location of one request, other payments continue; the next poll asks again. */
async function locationOf(watch: ReceiptsByTime, txid: string): Promise<string | undefined> {
  try {
    return await watch.locationOf?.(txid);
  } catch (error) {
    if (isOutageOfOthers(error)) return undefined;
    throw error;
  }
}

/**
 * A receipt that the charge refuses is kept for a person and does not stop the other receipts. `askedCents`: what its request asked for,
 * where that is not what is owed on the day.
 */
export async function takeReceiptOf(
  deps: ReceiptDeps,
  { method }: Pick<Rail, 'method'>,
  chargeId: string,
  receipt: Receipt,
  askedCents?: bigint,
): Promise<Taken> {
  const { reference, amountCents, paidAt, feeCents, creditDay, channel, isByPix, returns } = receipt;
  const { discountCents, abatementCents } = receipt;
  if (ABILITIES[method].asksForDueDay) await takeDueDay(deps, chargeId);
  try {
    const outcome = await recordReportedPayment(deps, {
      chargeId,
      method,
      source: 'bank',
      reference,
      amountCents,
      paidAt,
      ...(askedCents !== undefined && { askedCents }),
      ...(feeCents !== undefined && { feeCents }),
      ...(discountCents !== undefined && { discountCents }),
      ...(abatementCents !== undefined && { abatementCents }),
      ...(creditDay !== undefined && { creditDay }),
      ...(channel !== undefined && { channel }),
      ...(isByPix && { isByPix }),
    });
    if ('duplicateOf' in outcome) {
      const note = 'The bank reports a boleto that is already recorded as paid.';
      await keepUnmatched(deps, receipt, note, outcome.duplicateOf);
      await takeReturnsOfDismissed(deps, chargeId, receipt, outcome.duplicateOf);
      return 'possible_duplicate';
    }
  } catch (error) {
    // Only a refusal by the charge says something about the money; an outage is retried.
    if (!(error instanceof AppError) || isOutage(error)) throw error;
    await keepUnmatched(deps, receipt, error.message);
    await takeReturns(deps, receipt);
    return 'refused';
  }
  await recordReturns(deps, chargeId, reference, returns);
  return 'paid';
}

/** A person has decided that the receipt is a known payment: its returns are recorded on that payment. */
async function takeReturnsOfDismissed(
  deps: ReceiptDeps,
  chargeId: string,
  { reference, returns }: Receipt,
  duplicateOf: string,
): Promise<void> {
  if (returns.length === 0) return;
  const kept = await findUnmatched(deps.db, reference);
  if (kept?.decidedAt) await recordReturns(deps, chargeId, duplicateOf, returns);
}

/** Records the returns of a recorded payment, on any charge and from any source. False: the payment is not recorded. */
async function takeReturns(deps: ReceiptDeps, { reference, returns }: Receipt): Promise<boolean> {
  const chargeId = await findChargeOfPayment(deps.db, reference);
  if (chargeId === undefined) return false;
  await recordReturns(deps, chargeId, reference, returns);
  return true;
}

/** Keeps money for a person. */
export async function keepUnmatched(
  deps: ReceiptDeps,
  receipt: Receipt,
  note: string,
  duplicateOf?: string,
): Promise<void> {
  const { reference, paidAt, amountCents, requestReference } = receipt;
  const unmatched = {
    reference,
    postedAt: paidAt,
    amountCents,
    words: note,
    reason: duplicateOf === undefined ? 'no_match' : 'possible_duplicate',
    ...(duplicateOf !== undefined && { duplicateOf }),
    ...(requestReference !== undefined && { txid: requestReference }),
  } as const;
  await deps.db.transaction(async tx => {
    await insertUnmatched(tx, unmatched, deps.clock.now());
    await noteReturned(tx, reference, returnedCents(receipt));
  });
}

function returnedCents({ returns }: Receipt): bigint {
  const left = returns.filter(({ status }) => status !== 'FAILED');
  return left.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}
