// Judges a report of a payment of a charge: a new payment, a known one, a possible duplicate under another reference, or a refusal.
// Pure.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import { laterOf } from '../../lib/clock.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import type { Method } from '../../rails/methods/methods.ts';
import { type Charge, isOf, isOrdered, type Payment, type PaymentSource } from '../charge.ts';
import { paid, type Step } from '../life.ts';
import { owedOn } from '../owed.ts';
import { comparable, hasReference, referenceKey } from '../store/money.ts';
import type { RailNames } from '../store/rails.ts';
import type { UnmatchedReceipt } from '../unmatched/store.ts';
import { owedAsBankAsked, owedInAll } from './owed-in-all.ts';
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
  /** What its request asked for, whatever is owed on the day: a later attempt of a collection asks for no fine and no interest. */
  readonly askedCents?: bigint;
  /** Defaults to now, and to the creation of the charge where that is later: clocks of nodes differ a little. */
  readonly paidAt?: Date;
  readonly source: PaymentSource;
  readonly reference: string;
  readonly feeCents?: bigint;
  /** What the bank took off; zero where it says that it took nothing off. */
  readonly discountCents?: bigint;
  readonly abatementCents?: bigint;
  readonly creditDay?: CivilDay;
  readonly channel?: string;
  /** A boleto was paid by its pix code. */
  readonly isByPix?: true;
};

/** A report by hand may also state that it is not the payment that it resembles. */
export type TypedPayment = ReportedPayment & { readonly isAnother?: boolean };

/** With the entry of the statement that reports it: not recorded if it may be a payment that the charge already has. */
export type ReadPayment = ReportedPayment & { readonly readFrom: ReadReceipt };

export type RecordedPayment = { readonly charge: Charge; readonly isNew: boolean };

/** Not recorded: it may be the payment of this reference. */
export type PossibleDuplicate = { readonly duplicateOf: string };

export type Report = TypedPayment & Partial<Pick<ReadPayment, 'readFrom'>>;
/** A payment of the charge that the bank has already reported in its other form (as a boleto, as a pix). */
type ReportedAgain = { readonly reportedAgain: Charge; readonly payment: Payment };
/** A payment to be written, and the step of its charge. */
export type NewPayment = {
  readonly before: Charge;
  readonly rail: string;
  readonly payment: Payment;
  readonly step: Step;
};

type Verdict =
  | { readonly refusal: AppError }
  | { readonly recorded: RecordedPayment }
  | PossibleDuplicate
  | ReportedAgain
  | NewPayment;

type Known = {
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
  if (!charge) return { refusal: noSuch('charge') };
  const method = charge.methods.find(isOf(report.method));
  // A method refused here was never sent to a bank. One that a bank refused may still exist there.
  if (!method || (method.status === 'FAILED' && method.reference === undefined)) {
    return { refusal: new AppError('wrong_state', `This charge cannot be paid by ${report.method}.`) };
  }
  const known = charge.payments.find(payment => hasReference(payment, report.reference));
  if (known) {
    // The same id: an earlier run of this batch committed, but its answer was lost.
    return isSame(known, report) ? { recorded: { charge, isNew: known.id === id } } : { refusal: referenceTaken() };
  }
  const isTaken = railsToSearch(report, method.rail, rails).some(({ rail, reference }) => {
    return taken.has(referenceKey(rail, reference));
  });
  if (isTaken) return { refusal: referenceTaken() };
  const otherForm = report.isByPix && charge.payments.find(payment => isInOtherForm(payment, report));
  if (otherForm && !isOtherAmountInFile(otherForm, report)) return { reportedAgain: charge, payment: otherForm };
  if (otherForm) return { duplicateOf: otherForm.reference };
  if (report.source === 'bank' && !ABILITIES[report.method].hasPaymentIds) {
    const boleto = { ...report, day: civilDay(report.paidAt ?? now) };
    const same = charge.payments.find(payment => mayBeTypedBefore(payment) || mayBeReportedInFile(payment, boleto));
    if (same) return { duplicateOf: same.reference };
  }
  const receipt = receipts.get(comparable(report.reference));
  // A report of the bank itself outranks a statement, where a fee may be deducted.
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
  if (isTooEarly)
    return { refusal: new AppError('wrong_state', 'A payment cannot be earlier than the creation of its charge.') };
  const owed = owedOn(charge, report.method, civilDay(paidAt));
  const { method: paidBy, source, reference, amountCents = receipt?.amountCents ?? owed.totalCents } = report;
  if (source === 'operator' && !report.isAnother && !isShown(receipt, charge)) {
    const typed = { reference, amountCents, day: civilDay(paidAt), isDayGiven: report.paidAt !== undefined };
    const again = charge.payments.find(payment => payment.method === paidBy && mayBeTypedAgain(payment, typed));
    if (again) return { refusal: mayBeKnown(again) };
  }
  const timing = owed.on > owed.effectiveDueDay ? ('late' as const) : ('on_time' as const);
  const { payerDocument } = readFrom ?? {};
  const { feeCents, discountCents, abatementCents, creditDay, channel, isByPix } = report;
  const payment = {
    ...{ id, method: paidBy, amountCents, paidAt, source, reference, timing },
    ...(payerDocument !== undefined && { payerDocument }),
    ...(feeCents !== undefined && { feeCents }),
    ...(discountCents && { discountCents }),
    ...(abatementCents && { abatementCents }),
    ...(creditDay !== undefined && { creditDay }),
    ...(channel !== undefined && { channel }),
    ...(isByPix && { isByPix }),
  };
  const asked = source === 'bank' ? owedAsBankAsked(charge, owed, { ...report, amountCents }) : owed;
  const step = paid(charge, payment, owedInAll(charge, asked, amountCents));
  return { before: charge, rail: method.rail, payment: step.after.payments.at(-1)!, step };
}

/**
 * Whether a report repeats a known payment: the amount may be missing, but must not differ. Only a report under the second reference may
 * differ, since the bank may have deducted its fee there.
 */
function isSame(known: Payment, { method, amountCents, reference }: ReportedPayment): boolean {
  if (known.method !== method) return false;
  if (amountCents === undefined || amountCents === known.amountCents) return true;
  return comparable(known.reference) !== comparable(reference);
}

/**
 * Whether the bank has already reported this money as a pix and now reports it as a boleto, or the other way round. A code is normally
 * paid once; if it is paid twice, each pix belongs to one of the two payments of the boleto.
 */
function isInOtherForm({ method, isByPix, alsoReportedAs, reference }: Payment, report: ReportedPayment): boolean {
  if (ABILITIES[method].hasPaymentIds || !isByPix || alsoReportedAs !== undefined) return false;
  return isPixId(reference) !== isPixId(report.reference);
}

/** When a return file and the pix report differ in the amount, a person decides. */
function isOtherAmountInFile(known: Payment, { reference, amountCents }: ReportedPayment): boolean {
  const isInFile = isFromReturnFile(known.reference) || isFromReturnFile(reference);
  return isInFile && amountCents !== known.amountCents;
}

/** Whether the operator was already shown that the receipt may be a payment of the charge; recording it anyway is then a decision. */
function isShown(receipt: UnmatchedReceipt | undefined, { payments }: Charge): boolean {
  return payments.some(({ reference }) => reference === receipt?.duplicateOf);
}

function mayBeKnown({ reference }: Payment): AppError {
  const message =
    `This may be the payment "${reference}", which the charge already has with the same amount. ` +
    'If it is another one, say so: isAnother in a request, --another in the command.';
  return new AppError('possible_duplicate', message, { first: { duplicateOf: reference } });
}

/** The bank will report the payment under its endToEndId; recorded under another reference it would count twice. */
function needsPixId(): AppError {
  return new AppError(
    'wrong_state',
    'The bank of this charge reports its payments itself: give the endToEndId of the payment as its reference.',
  );
}

function goneBack(): AppError {
  return new AppError('wrong_state', 'The bank has sent this money back to the payer.');
}

export function referenceTaken(): AppError {
  return new AppError('reference_conflict', 'This reference was reported for another payment.');
}

/** Reported by a person or in a file, independently of what the bank itself may report. */
export function isSecondHand({ source }: ReportedPayment): boolean {
  return source === 'operator' || source === 'statement';
}

/** The rails on which a reference may already be recorded. An endToEndId is unique in the country; other ids only within a bank. */
export function railsToSearch({ reference }: ReportedPayment, rail: string, { all }: RailNames) {
  const names = isPixId(reference) ? new Set([rail, ...all]) : [rail];
  return [...names].map(name => ({ rail: name, reference }));
}
