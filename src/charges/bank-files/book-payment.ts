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
import { comparable, findRecorded, isToldAs } from '../store/money.ts';
import { insertManyUnmatched, insertUnmatched } from '../unmatched/store.ts';
import { type BookDeps, type Booking, type Told, unchanged } from './booking.ts';
import { markOf } from './entry-mark.ts';

export async function bookPayment(deps: BookDeps, told: Told, charge: Charge): Promise<Booking> {
  const { entry } = told;
  if (entry.paidCents === 0n) return keepMoney(deps, told, charge, NO_AMOUNT);
  const { instrument } = charge.methods.find(isOf('boleto')) ?? {};
  const isByPix = instrument?.pix !== undefined && entry.reasons[0]?.code === BY_PIX;
  const receipt: Receipt = { ...receiptOf(deps, told), ...(isByPix && { isByPix }) };
  const recorded = charge.payments.find(payment => isToldAs(payment, receipt.reference));
  if (recorded) return bookAgain(deps, told, charge, recorded);
  if (told.isToldBefore) return keepMoney(deps, told, charge, NOT_RECORDED);
  const same = charge.payments.find(payment => mayBeSame(payment, receipt));
  if (same) return keepDuplicate(deps, receipt, same);
  const taken = await takeReceiptOf(deps, told.rail, charge.id, receipt);
  if (taken === 'paid') return { outcome: 'paid' };
  if (taken === 'refused') return { outcome: 'unmatched', remark: 'The charge cannot take the payment.' };
  return { outcome: 'possible_duplicate', remark: 'It may be a payment that is recorded.' };
}

/**
 * The entry repeats that of a recorded payment. While the money is here, it reports that payment. If the bank has taken the money back since,
 * it may report a further payment: a person decides, each time.
 */
async function bookAgain(deps: BookDeps, told: Told, charge: Charge, recorded: Payment): Promise<Booking> {
  // This file has brought it itself, before its reading was cut off.
  if (!told.isToldBefore) return { outcome: 'paid' };
  if (unreturnedCents(charge, recorded) > 0n) return { outcome: 'repeated' };
  const remark = 'The bank reports a payment again that it has taken back: it may be a further one.';
  await keep(deps, receiptOf(deps, { ...told, count: told.count + 1 }), remark, recorded);
  return { outcome: 'needs_attention', remark };
}

async function keepDuplicate(deps: BookDeps, receipt: Receipt, same: Payment): Promise<Booking> {
  await keep(deps, receipt, 'The bank tells of a second payment of a boleto.', same);
  return { outcome: 'possible_duplicate', remark: `It may be the payment ${same.reference}.` };
}

const NO_AMOUNT = 'The payment has no amount.';
/** It waits for a person, or one has dismissed it. */
const NOT_RECORDED = 'Another file has brought this payment, which is not recorded here.';

/** Payments of titles that are no boletos of this service, in one transaction: a person says whose they are. */
export async function bookStrangeMoney(deps: BookDeps, told: readonly Told[]): Promise<Booking[]> {
  const receipts = told.flatMap(one => (isToKeep(one) ? receiptOf(deps, one) : []));
  // A person may have said of one before, when a reading was cut off, which charge it pays.
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
    told.map(async (one): Promise<Booking> => {
      if (one.entry.paidCents === 0n) return keepMoney(deps, one, undefined, NO_AMOUNT);
      return { outcome: isToKeep(one) ? 'unmatched' : 'repeated' };
    }),
  );
}

const NONE: ReadonlySet<string> = new Set();
const isToKeep = ({ entry, isToldBefore }: Told) => entry.paidCents > 0n && !isToldBefore;

const REPORTS_MONEY: readonly Meaning[] = ['paid', 'announced', 'reversed'];

/** Whether an entry names money though its code does not mean a payment. */
export function hasOddMoney({ meaning, paidCents, creditedCents }: ReturnEntry): boolean {
  return !REPORTS_MONEY.includes(meaning) && (paidCents > 0n || creditedCents > 0n);
}

/** Keeps money of which it is not clear what it is, once, until a person has decided. */
export async function keepMoney(
  deps: BookDeps,
  told: Told,
  charge: Charge | undefined,
  remark: string,
): Promise<Booking> {
  const { paidCents, creditedCents, occurrence, text } = told.entry;
  const receipt = { ...receiptOf(deps, told), amountCents: paidCents || creditedCents };
  const booking = { outcome: 'needs_attention', remark } as const;
  if (receipt.amountCents === 0n) return unchanged(told, booking);
  const same = charge?.payments.find(payment => mayBeSame(payment, receipt));
  const isNew = await keep(deps, receipt, `The bank names an amount with the code ${occurrence}: ${text}.`, same);
  return isNew ? booking : unchanged(told, booking);
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

/** The channel of a boleto that was paid by its pix code. */
const BY_PIX = '61';

/** A second report of a payment under another reference counts as the same payment; only a person can say that the payer paid twice. */
function mayBeSame(payment: Payment, { reference, amountCents, paidAt, isByPix }: Receipt): boolean {
  if (isToldAs(payment, reference)) return false;
  // A pix that only its own rail has reported is the same money for certain, and judged as such.
  if (payment.isByPix && isByPix && isPixId(payment.reference) && payment.alsoReportedAs === undefined) return false;
  return mayBeTypedBefore(payment) || mayBeReportedInFile(payment, { reference, amountCents, day: civilDay(paidAt) });
}

/** How banks write a missing day. */
const NO_DAY = '0000-00-00';

function receiptOf({ clock }: BookDeps, { entry, count, fileDay }: Told): Receipt {
  const { ourNumber, numberText, paidCents, feeCents, creditDay, occurrenceDay } = entry;
  const now = clock.now();
  const toldDay = occurrenceDay ?? creditDay;
  const day = toldDay ?? fileDay ?? civilDay(now);
  return {
    // Without the day of the file: another file may report the same payment.
    reference: `${ourNumber ?? numberText} ${toldDay ?? NO_DAY} ${markOf(entry, count)}`,
    ...(ourNumber !== undefined && { requestReference: ourNumber }),
    amountCents: paidCents,
    // A bank reports the day without a time.
    paidAt: earlierOf(lastSecondOf(day), now),
    returns: [],
    feeCents,
    ...(creditDay !== undefined && { creditDay }),
    ...channelIn(entry),
  };
}

/** The first reason of a payment. A code of another form is left out. */
function channelIn({ reasons: [first] }: ReturnEntry): { readonly channel?: string } {
  return first && /^[0-9A-Z]{2}$/.test(first.code) ? { channel: first.code } : {};
}
