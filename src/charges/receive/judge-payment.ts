// Decides what a report of a payment means for its charge: a new payment, one that is known, one that may be known under another
// reference, or no payment. Pure.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import { laterOf } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import type { Method } from '../../rails/rail.ts';
import { type Charge, isOf, isOrdered, type Payment, type PaymentSource } from '../charge.ts';
import { paid, type Step } from '../life.ts';
import { owedAsBankAsked, owedOn } from '../owed.ts';
import { comparable, isToldAs, referenceKey } from '../store/money.ts';
import type { RailNames } from '../store/rails.ts';
import type { UnmatchedReceipt } from '../unmatched/store.ts';
import { isFromReturnFile, isPixId } from './payment-reference.ts';
import {
  mayBeReportedInFile,
  mayBeSameOfCharge,
  mayBeTypedAgain,
  mayBeTypedBefore,
  type ReadReceipt,
} from './same-money.ts';

/** A payment as an operator, a rail, a statement or the sandbox reports it. */
export type ReportedPayment = {
  readonly chargeId: string;
  /** The account of the caller: for it a charge of another account does not exist. */
  readonly accountId?: string | undefined;
  readonly method: Method;
  /** Defaults to the amount owed on that day. */
  readonly amountCents?: bigint;
  /** Defaults to now, and to the creation of the charge where that is later: clocks of nodes differ a little. */
  readonly paidAt?: Date;
  readonly source: PaymentSource;
  readonly reference: string;
  readonly feeCents?: bigint;
  readonly creditDay?: CivilDay;
  readonly channel?: string;
  /** A boleto was paid by the pix code that it carries. */
  readonly isByPix?: true;
};

/** With what a person may add who reports by hand: that it is another payment than the one that it resembles. */
export type TypedPayment = ReportedPayment & { readonly isAnother?: boolean };

/** With the entry of a statement that reports it: not recorded while it may be a payment that the charge has already. */
export type ReadPayment = ReportedPayment & { readonly readFrom: ReadReceipt };

export type RecordedPayment = { readonly charge: Charge; readonly isNew: boolean };

/** Not recorded: it may be the payment of this reference. */
export type PossibleDuplicate = { readonly duplicateOf: string };

export type Report = TypedPayment & Partial<Pick<ReadPayment, 'readFrom'>>;
/** A payment of the charge that the bank has already reported in its other form (as a boleto, as a pix). */
export type ToldAgain = { readonly told: Charge; readonly payment: Payment };
/** A payment to be written, and the step of its charge. */
export type NewPayment = {
  readonly before: Charge;
  readonly rail: string;
  readonly payment: Payment;
  readonly step: Step;
};

export type Verdict =
  | { readonly refusal: AppError }
  | { readonly recorded: RecordedPayment }
  | PossibleDuplicate
  | ToldAgain
  | NewPayment;

export type Known = {
  /** References that are recorded, by `referenceKey`. */
  readonly taken: ReadonlySet<string>;
  /** Receipts that a statement or a rail left without a charge, by `comparable` reference. */
  readonly receipts: ReadonlyMap<string, UnmatchedReceipt>;
  readonly rails: RailNames;
  readonly now: Date;
};

/** What a report means for the charge. `id` is that of the payment, if it becomes one. */
export function judgePayment(
  charge: Charge | undefined,
  report: Report,
  id: string,
  { taken, receipts, rails, now }: Known,
): Verdict {
  if (!charge) return { refusal: new AppError('not_found', 'There is no such charge.') };
  const method = charge.methods.find(isOf(report.method));
  // What was refused here was never sent to a bank. What a bank has refused it may have all the same.
  if (!method || (method.status === 'FAILED' && method.reference === undefined)) {
    return { refusal: new AppError('wrong_state', `This charge cannot be paid by ${report.method}.`) };
  }
  const known = charge.payments.find(payment => isToldAs(payment, report.reference));
  if (known) {
    // The same id: an earlier run of this batch committed, but its answer was lost.
    return isSame(known, report) ? { recorded: { charge, isNew: known.id === id } } : { refusal: referenceTaken() };
  }
  const isTaken = railsToSearch(report, method.rail, rails).some(({ rail, reference }) => {
    return taken.has(referenceKey(rail, reference));
  });
  if (isTaken) return { refusal: referenceTaken() };
  const told = report.isByPix && charge.payments.find(payment => isUnderAnotherReference(payment, report));
  if (told && !isOtherAmountInFile(told, report)) return { told: charge, payment: told };
  if (told) return { duplicateOf: told.reference };
  if (report.source === 'bank' && !ABILITIES[report.method].hasPaymentIds) {
    const boleto = { ...report, day: civilDay(report.paidAt ?? now) };
    const same = charge.payments.find(payment => mayBeTypedBefore(payment) || mayBeReportedInFile(payment, boleto));
    if (same) return { duplicateOf: same.reference };
  }
  const receipt = receipts.get(comparable(report.reference));
  // What the bank itself says outranks a statement, in which a fee may be taken off.
  const isOtherAmount = report.amountCents !== undefined && report.amountCents !== receipt?.amountCents;
  if (receipt && isOtherAmount && report.source !== 'bank') {
    return { refusal: new AppError('reference_conflict', 'The bank reported this reference with another amount.') };
  }
  if (isSecondHand(report)) {
    const isListed = ABILITIES[report.method].hasPaymentIds && rails.listing.has(method.rail);
    if (isListed && !isPixId(report.reference)) return { refusal: needsPixId() };
    if (receipt?.returnedCents) return { refusal: goneBack() };
  }
  const { readFrom } = report;
  const double =
    readFrom &&
    charge.payments.find(payment => ABILITIES[payment.method].hasPaymentIds && mayBeSameOfCharge(payment, readFrom));
  if (double) return { duplicateOf: double.reference };
  const paidAt = report.paidAt ?? laterOf(now, charge.createdAt);
  // The price of an order is valid for minutes, so its payment is compared by the instant, not by the day.
  const isTooEarly = isOrdered(charge) ? paidAt < charge.createdAt : civilDay(paidAt) < civilDay(charge.createdAt);
  if (isTooEarly) return { refusal: new AppError('wrong_state', 'A payment cannot be earlier than its charge.') };
  const owed = owedOn(charge, report.method, civilDay(paidAt));
  const { method: paidBy, source, reference, amountCents = receipt?.amountCents ?? owed.totalCents } = report;
  if (source === 'operator' && !report.isAnother && !isShown(receipt, charge)) {
    const typed = { reference, amountCents, day: civilDay(paidAt), isDayGiven: report.paidAt !== undefined };
    const again = charge.payments.find(payment => payment.method === paidBy && mayBeTypedAgain(payment, typed));
    if (again) return { refusal: mayBeKnown(again) };
  }
  const timing = owed.on > owed.effectiveDueDay ? ('late' as const) : ('on_time' as const);
  const { payerDocument } = readFrom ?? {};
  const { feeCents, creditDay, channel, isByPix } = report;
  const payment = {
    ...{ id, method: paidBy, amountCents, paidAt, source, reference, timing },
    ...(payerDocument !== undefined && { payerDocument }),
    ...(feeCents !== undefined && { feeCents }),
    ...(creditDay !== undefined && { creditDay }),
    ...(channel !== undefined && { channel }),
    ...(isByPix && { isByPix }),
  };
  const owedCents = source === 'bank' ? owedAsBankAsked(owed, amountCents) : owed.totalCents;
  const step = paid(charge, payment, owedCents);
  return { before: charge, rail: method.rail, payment: step.after.payments.at(-1)!, step };
}

/**
 * Whether a report repeats a known payment: the amount may be missing, but must not differ. In its other report a bank may give the
 * amount without its fee.
 */
function isSame(known: Payment, { method, amountCents, reference }: ReportedPayment): boolean {
  if (known.method !== method) return false;
  if (amountCents === undefined || amountCents === known.amountCents) return true;
  return comparable(known.reference) !== comparable(reference);
}

/**
 * Whether the bank has reported this money before, as a pix and now as a boleto or the other way round. A code is paid once; should it
 * be paid twice, each pix belongs to another of the two payments of the boleto.
 */
function isUnderAnotherReference(
  { method, isByPix, alsoReportedAs, reference }: Payment,
  report: ReportedPayment,
): boolean {
  if (ABILITIES[method].hasPaymentIds || !isByPix || alsoReportedAs !== undefined) return false;
  return isPixId(reference) !== isPixId(report.reference);
}

/** What a return file says was paid by pix, with another amount than the pix had, is for a person. */
function isOtherAmountInFile(known: Payment, { reference, amountCents }: ReportedPayment): boolean {
  const isInFile = isFromReturnFile(known.reference) || isFromReturnFile(reference);
  return isInFile && amountCents !== known.amountCents;
}

/** Whether a person was shown that the receipt may be a payment of the charge; recording it all the same is a decision. */
function isShown(receipt: UnmatchedReceipt | undefined, { payments }: Charge): boolean {
  return payments.some(({ reference }) => reference === receipt?.duplicateOf);
}

function mayBeKnown({ reference }: Payment): AppError {
  const message =
    `This may be the payment "${reference}", which the charge has with the same amount. ` +
    'If it is another one, say so: isAnother in a request, --another in the command.';
  return new AppError('possible_duplicate', message, { first: { duplicateOf: reference } });
}

/** The bank will report the payment under its endToEndId; recorded under another reference it would count twice. */
function needsPixId(): AppError {
  return new AppError(
    'wrong_state',
    'The bank of this charge tells of its payments itself: give the endToEndId of the payment as its reference.',
  );
}

function goneBack(): AppError {
  return new AppError('wrong_state', 'The bank has sent this money back to the payer.');
}

export function referenceTaken(): AppError {
  return new AppError('reference_conflict', 'This reference was reported for another payment.');
}

/** Reported by a person or a file, beside what the bank of the charge may report itself. */
export function isSecondHand({ source }: ReportedPayment): boolean {
  return source === 'operator' || source === 'statement';
}

/** Where a reference may be recorded already. An endToEndId belongs to one pix in the whole country; other ids are a bank's own. */
export function railsToSearch({ reference }: ReportedPayment, rail: string, { all }: RailNames) {
  const names = isPixId(reference) ? new Set([rail, ...all]) : [rail];
  return [...names].map(name => ({ rail: name, reference }));
}
