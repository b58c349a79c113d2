// Books the money that a return file reports.

import type { Meaning, ReturnEntry } from '@trilho/cnab';
import { civilDay, lastSecondOf } from '../../lib/civil-days.ts';
import { earlierOf } from '../../lib/clock.ts';
import type { Receipt } from '../../rails/rail.ts';
import { type Charge, isOf, type Payment } from '../charge.ts';
import { unreturnedCents } from '../life.ts';
import { isPixId } from '../receive/payment-reference.ts';
import { takeReceiptOf } from '../receive/receipts.ts';
import { mayBeReportedInFile, mayBeTypedBefore } from '../receive/same-money.ts';
import { comparable, findRecorded, hasReference } from '../store/money.ts';
import { insertManyUnmatched, insertUnmatched } from '../unmatched/store.ts';
import { type BookDeps, type Booking, type ReportedEntry, unchanged } from './booking.ts';
import { markOf } from './entry-mark.ts';

export async function bookPayment(deps: BookDeps, reported: ReportedEntry, charge: Charge): Promise<Booking> {
  const { entry } = reported;
  if (entry.paidCents === 0n) return keepMoney(deps, reported, charge, NO_AMOUNT);
  const { instrument } = charge.methods.find(isOf('boleto')) ?? {};
  const isByPix = instrument?.pix !== undefined && entry.reasons[0]?.code === BY_PIX;
  const receipt: Receipt = { ...receiptOf(deps, reported), ...(isByPix && { isByPix }) };
  const recorded = charge.payments.find(payment => hasReference(payment, receipt.reference));
  if (recorded) return bookAgain(deps, reported, charge, recorded);
  if (reported.isRepeated) return keepMoney(deps, reported, charge, NOT_RECORDED);
  const same = charge.payments.find(payment => mayBeSame(payment, receipt));
  if (same) return keepDuplicate(deps, receipt, same);
  const taken = await takeReceiptOf(deps, reported.rail, charge.id, receipt);
  if (taken === 'paid') return { outcome: 'paid' };
  if (taken === 'refused') return { outcome: 'unmatched', remark: 'The charge cannot take the payment.' };
  return { outcome: 'possible_duplicate', remark: 'It may be a payment that is recorded.' };
}

/**
 * The entry matches a recorded payment, so it reports that payment. But if the bank has reversed that payment since, it may be another
 * one: a person decides, each time.
 */
async function bookAgain(deps: BookDeps, reported: ReportedEntry, charge: Charge, recorded: Payment): Promise<Booking> {
  // This same file reported it before its reading was interrupted.
  if (!reported.isRepeated) return { outcome: 'paid' };
  if (unreturnedCents(charge, recorded) > 0n) return { outcome: 'repeated' };
  const remark = 'The bank again reports a payment that it reversed: this may be another payment.';
  await keep(deps, receiptOf(deps, { ...reported, count: reported.count + 1 }), remark, recorded);
  return { outcome: 'needs_attention', remark };
}

async function keepDuplicate(deps: BookDeps, receipt: Receipt, same: Payment): Promise<Booking> {
  await keep(deps, receipt, 'The bank reports a second payment of a boleto.', same);
  return { outcome: 'possible_duplicate', remark: `It may be the payment ${same.reference}.` };
}

const NO_AMOUNT = 'The payment has no amount.';
/** It waits for a person's decision, or was dismissed. */
const NOT_RECORDED = 'Another file reported this payment, which is not recorded.';

/** Keeps payments of titles that are not boletos of this service, in one transaction, for a person to assign. */
export async function bookStrangeMoney(deps: BookDeps, reported: readonly ReportedEntry[]): Promise<Booking[]> {
  const receipts = reported.flatMap(one => (isToKeep(one) ? receiptOf(deps, one) : []));
  // If an earlier reading was interrupted, a person may already have assigned one to a charge.
  const references = receipts.map(({ reference }) => reference);
  const recorded = references.length === 0 ? NONE : await findRecorded(deps.db, references);
  const unmatched = receipts
    .filter(({ reference }) => !recorded.has(comparable(reference)))
    .map(({ reference, paidAt, amountCents }) => ({
      ...{ reference, postedAt: paidAt, amountCents, reason: 'no_match' as const },
      words: 'The bank names no charge of this service.',
    }));
  if (unmatched.length > 0) await deps.db.transaction(tx => insertManyUnmatched(tx, unmatched, deps.clock.now()));
  return Promise.all(
    reported.map(async (one): Promise<Booking> => {
      if (one.entry.paidCents === 0n) return keepMoney(deps, one, undefined, NO_AMOUNT);
      return { outcome: isToKeep(one) ? 'unmatched' : 'repeated' };
    }),
  );
}

const NONE: ReadonlySet<string> = new Set();
const isToKeep = ({ entry, isRepeated }: ReportedEntry) => entry.paidCents > 0n && !isRepeated;

const REPORTS_MONEY: readonly Meaning[] = ['paid', 'announced', 'reversed'];

/** Whether an entry names money though its code does not mean a payment. */
export function hasOddMoney({ meaning, paidCents, creditedCents }: ReturnEntry): boolean {
  return !REPORTS_MONEY.includes(meaning) && (paidCents > 0n || creditedCents > 0n);
}

/** Keeps money that cannot be classified, once, until a person has decided. */
export async function keepMoney(
  deps: BookDeps,
  reported: ReportedEntry,
  charge: Charge | undefined,
  remark: string,
): Promise<Booking> {
  const { paidCents, creditedCents, occurrence, text } = reported.entry;
  const receipt = { ...receiptOf(deps, reported), amountCents: paidCents || creditedCents };
  const booking = { outcome: 'needs_attention', remark } as const;
  if (receipt.amountCents === 0n) return unchanged(reported, booking);
  const same = charge?.payments.find(payment => mayBeSame(payment, receipt));
  const isNew = await keep(deps, receipt, `The bank names an amount with the code ${occurrence}: ${text}.`, same);
  return isNew ? booking : unchanged(reported, booking);
}

async function keep(deps: BookDeps, receipt: Receipt, note: string, same: Payment | undefined): Promise<boolean> {
  const { reference, paidAt, amountCents } = receipt;
  const unmatched = {
    ...{ reference, postedAt: paidAt, amountCents, words: note },
    reason: same ? 'possible_duplicate' : 'no_match',
    ...(same && { duplicateOf: same.reference }),
  } as const;
  return deps.db.transaction(tx => insertUnmatched(tx, unmatched, deps.clock.now()));
}

/** The channel code of a boleto that was paid by its pix code. */
const BY_PIX = '61';

/** A second report of a payment under another reference counts as the same payment; only a person can say that the payer paid twice. */
function mayBeSame(payment: Payment, { reference, amountCents, paidAt, isByPix }: Receipt): boolean {
  if (hasReference(payment, reference)) return false;
  // A pix that only its own rail has reported is certainly the same money, and is treated as such.
  if (payment.isByPix && isByPix && isPixId(payment.reference) && payment.alsoReportedAs === undefined) return false;
  return mayBeTypedBefore(payment) || mayBeReportedInFile(payment, { reference, amountCents, day: civilDay(paidAt) });
}

/** How banks write a missing day. */
const NO_DAY = '0000-00-00';

function receiptOf({ clock }: BookDeps, { entry, count, fileDay }: ReportedEntry): Receipt {
  const { ourNumber, numberText, paidCents, feeCents, discountCents, abatementCents, creditDay, occurrenceDay } = entry;
  const now = clock.now();
  const reportedDay = occurrenceDay ?? creditDay;
  const day = reportedDay ?? fileDay ?? civilDay(now);
  return {
    // Without the file's day, since another file may report the same payment.
    reference: `${ourNumber ?? numberText} ${reportedDay ?? NO_DAY} ${markOf(entry, count)}`,
    ...(ourNumber !== undefined && { requestReference: ourNumber }),
    amountCents: paidCents,
    // A bank reports the day without a time.
    paidAt: earlierOf(lastSecondOf(day), now),
    returns: [],
    feeCents,
    discountCents,
    abatementCents,
    ...(creditDay !== undefined && { creditDay }),
    ...channelIn(entry),
  };
}

/** The first reason code of a payment; undefined if it has another form. */
function channelIn({ reasons: [first] }: ReturnEntry): { readonly channel?: string } {
  return first && /^[0-9A-Z]{2}$/.test(first.code) ? { channel: first.code } : {};
}
