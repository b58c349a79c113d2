// When two reports may be about the same payment: the rule for statements, reports by hand, return files, lists of PSPs and APIs of
// banks. References alone would count a payment twice: a bank may print the endToEndId of a pix in one export and not in another, and
// a boleto has one reference in a return file and another in an API.
import { type CivilDay, civilDay, daysBetween } from '../../lib/civil-days.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { areOfTwoPayers } from '../../rails/statement/payer-document.ts';
import { isEndToEndId } from '../../rails/statement/pix-ids.ts';
import type { Payment } from '../charge.ts';
import { isFromReturnFile, isPixId } from './payment-reference.ts';

/** How many days apart two reports of one payment may be: a bank may post it on the banking day after a long weekend. */
export const MAX_DAYS_APART = 5;

/** Where money was reported, and for which day. */
type DatedReport = Pick<Payment, 'reference' | 'source'> & { readonly day: CivilDay };

/** Whether two reports are close enough in time to be about one payment. */
function mayBeOfOneDay(one: DatedReport, other: DatedReport): boolean {
  const apart = Math.abs(daysBetween(one.day, other.day));
  return apart <= (agreeOnDays(one, other) ? 0 : MAX_DAYS_APART);
}

/** Two statements give one entry the same day, and so do two return files. */
function agreeOnDays(one: DatedReport, other: DatedReport): boolean {
  if (one.source === 'statement' && other.source === 'statement') return true;
  return isFromReturnFile(one.reference) && isFromReturnFile(other.reference);
}

/** What identifies an entry of a statement. */
export type ReadReceipt = {
  readonly reference: string;
  readonly amountCents: bigint;
  readonly postedDay: CivilDay;
  readonly source: Payment['source'];
  readonly payerDocument?: string | undefined;
  /** The references of all entries of its file: two entries of one file are never one payment. */
  readonly listed: ReadonlySet<string>;
};

/** Money that is known already: a payment or an unmatched receipt. */
export type KnownMoney = Pick<Payment, 'reference' | 'amountCents' | 'paidAt' | 'source' | 'payerDocument'>;

/**
 * Whether an entry may be a payment of its charge under another reference: the same amount, close in time, and without two different
 * endToEndIds, which are certainly two payments. Documents in the texts prove nothing here: besides the payer's, banks print those of the
 * payer's bank and of the receiver, and numbers that look like one.
 */
export function mayBeSameOfCharge(known: KnownMoney, read: ReadReceipt): boolean {
  if (known.amountCents !== read.amountCents || read.listed.has(known.reference)) return false;
  if (isEndToEndId(known.reference) && isEndToEndId(read.reference)) return false;
  return isOfDay(known, { ...read, day: read.postedDay });
}

/** Like `mayBeSameOfCharge`, for money without a common charge: not when both texts have a document and they differ. */
export function mayBeSame(known: KnownMoney, read: ReadReceipt): boolean {
  return mayBeSameOfCharge(known, read) && !areOfTwoPayers(known.payerDocument, read.payerDocument);
}

/** People often report a payment long after it arrived, with the time of the report. */
function isOfDay({ reference, source, paidAt }: KnownMoney, report: DatedReport): boolean {
  const day = civilDay(paidAt);
  return mayBeOfOneDay({ reference, source, day }, report) || (source === 'operator' && day > report.day);
}

/** What identifies a report by hand. */
type TypedReport = {
  readonly reference: string;
  readonly amountCents: bigint;
  readonly day: CivilDay;
  /** False when the day is that of the report: the payment may have arrived on any earlier day. */
  readonly isDayGiven: boolean;
};

/** Whether a report by hand may be a payment that its charge has under another reference. */
export function mayBeTypedAgain(known: KnownMoney, { reference, amountCents, day, isDayGiven }: TypedReport): boolean {
  if (known.amountCents !== amountCents || (isEndToEndId(known.reference) && isEndToEndId(reference))) return false;
  return isOfDay(known, { reference, source: 'operator', day }) || (!isDayGiven && civilDay(known.paidAt) < day);
}

/** What identifies a bank's report of a boleto. */
type BoletoReport = { readonly reference: string; readonly amountCents?: bigint; readonly day: CivilDay };

/**
 * Whether the bank may report a boleto that a person already reported as paid. The person did not know the bank's id and perhaps neither
 * its day nor the interest paid, so a person decides whether it is a second payment.
 */
export function mayBeTypedBefore({ method, source }: Payment): boolean {
  return !ABILITIES[method].hasPaymentIds && source === 'operator';
}

/**
 * Whether a bank may report one payment of a boleto under two references, one of them in a return file: by another entry, by its API, or
 * as a pix although the file does not say that the boleto was paid by its code. The codes that banks use for that are not verified.
 */
export function mayBeReportedInFile(known: Payment, { reference, amountCents, day }: BoletoReport): boolean {
  if (ABILITIES[known.method].hasPaymentIds || known.amountCents !== amountCents) return false;
  const references = [known.reference, reference];
  if (!references.some(isFromReturnFile)) return false;
  // Its pix has already been reported, so another one is another payment.
  if (isPixId(reference) && known.alsoReportedAs !== undefined) return false;
  return mayBeOfOneDay({ ...known, day: civilDay(known.paidAt) }, { reference, source: 'bank', day });
}
