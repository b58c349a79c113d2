// When two reports may be about one payment: the one rule for statements, typed reports, return files, lists of PSPs and APIs of
// banks. References alone count a payment twice, since one pix has several where a bank prints its endToEndId in one export and
// not in another, and a boleto has one in a return file and another in an API.
import { type CivilDay, civilDay, daysBetween } from '../../lib/civil-days.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { areOfTwoPayers } from '../../rails/statement/payer-document.ts';
import { isEndToEndId } from '../../rails/statement/pix-ids.ts';
import type { Payment } from '../charge.ts';
import { isFromReturnFile, isPixId } from './payment-reference.ts';

/** By how many days two reports of one payment may differ: a bank may post it on the banking day after a long weekend. */
export const MAX_DAYS_APART = 5;

/** Where money was reported, and of which day. */
type DatedReport = Pick<Payment, 'reference' | 'source'> & { readonly day: CivilDay };

/** Whether the days of two reports allow that they are about one payment. */
function mayBeOfOneDay(one: DatedReport, other: DatedReport): boolean {
  const apart = Math.abs(daysBetween(one.day, other.day));
  return apart <= (agreeOnDays(one, other) ? 0 : MAX_DAYS_APART);
}

/** Two statements have the same day for one entry, and so have two return files. */
function agreeOnDays(one: DatedReport, other: DatedReport): boolean {
  if (one.source === 'statement' && other.source === 'statement') return true;
  return isFromReturnFile(one.reference) && isFromReturnFile(other.reference);
}

/** An entry of a statement, by what it can be recognised. */
export type ReadReceipt = {
  readonly reference: string;
  readonly amountCents: bigint;
  readonly postedDay: CivilDay;
  readonly source: Payment['source'];
  readonly payerDocument?: string | undefined;
  /** The references of all entries of its file: two entries of one file are two payments. */
  readonly listed: ReadonlySet<string>;
};

/** Money that is known already: a payment or an unmatched receipt. */
export type KnownMoney = Pick<Payment, 'reference' | 'amountCents' | 'paidAt' | 'source' | 'payerDocument'>;

/**
 * Whether an entry may be a payment of its charge under another reference: the same amount, of days that are not too far apart,
 * and not with two endToEndIds, which are certainly two payments. Documents in the texts say nothing here: besides the payer's, banks print
 * those of the payer's bank and of the receiver, and numbers that look like one.
 */
export function mayBeSameOfCharge(known: KnownMoney, read: ReadReceipt): boolean {
  if (known.amountCents !== read.amountCents || read.listed.has(known.reference)) return false;
  if (isEndToEndId(known.reference) && isEndToEndId(read.reference)) return false;
  return isOfDay(known, { ...read, day: read.postedDay });
}

/** As `mayBeSameOfCharge`, for money without a common charge: not when both texts have a document and these differ. */
export function mayBeSame(known: KnownMoney, read: ReadReceipt): boolean {
  return mayBeSameOfCharge(known, read) && !areOfTwoPayers(known.payerDocument, read.payerDocument);
}

/** A payment is often typed in long after it came, with the time of typing. */
function isOfDay({ reference, source, paidAt }: KnownMoney, report: DatedReport): boolean {
  const day = civilDay(paidAt);
  return mayBeOfOneDay({ reference, source, day }, report) || (source === 'operator' && day > report.day);
}

/** A report by hand, by what it can be recognised. */
export type TypedReport = {
  readonly reference: string;
  readonly amountCents: bigint;
  readonly day: CivilDay;
  /** False when the day is that of typing: the payment may have come on any day before. */
  readonly isDayGiven: boolean;
};

/** Whether a report by hand may be a payment that its charge has under another reference. */
export function mayBeTypedAgain(known: KnownMoney, { reference, amountCents, day, isDayGiven }: TypedReport): boolean {
  if (known.amountCents !== amountCents || (isEndToEndId(known.reference) && isEndToEndId(reference))) return false;
  return isOfDay(known, { reference, source: 'operator', day }) || (!isDayGiven && civilDay(known.paidAt) < day);
}

/** What a bank reports of a boleto, by what it can be recognised. */
export type BoletoReport = { readonly reference: string; readonly amountCents?: bigint; readonly day: CivilDay };

/**
 * Whether a bank reports a boleto that a person has reported as paid. A person knows no id of the bank, often another day than that of
 * the bank, and perhaps not what was paid on top: so a person says whether it is a second payment.
 */
export function mayBeTypedBefore({ method, source }: Payment): boolean {
  return !ABILITIES[method].hasPaymentIds && source === 'operator';
}

/**
 * Whether a bank may report one payment of a boleto under two references, of which one is of a return file: by another entry, by its
 * API, or as a pix although the file does not say that the boleto was paid by its code. Which codes banks use for that is not verified.
 */
export function mayBeReportedInFile(known: Payment, { reference, amountCents, day }: BoletoReport): boolean {
  if (ABILITIES[known.method].hasPaymentIds || known.amountCents !== amountCents) return false;
  const references = [known.reference, reference];
  if (!references.some(isFromReturnFile)) return false;
  // Its pix has been reported: a further one is a further payment.
  if (isPixId(reference) && known.alsoReportedAs !== undefined) return false;
  return mayBeOfOneDay({ ...known, day: civilDay(known.paidAt) }, { reference, source: 'bank', day });
}
