// When two reports may be about one payment. One pix has several references where a bank prints its endToEndId in one
// export and not in another, so references alone count it twice.
import { type CivilDay, civilDay } from '../lib/civil-days.ts';
import { areOfTwoPayers } from '../rails/statement/payer-document.ts';
import { isEndToEndId } from '../rails/statement/pix-ids.ts';
import type { Payment } from './charge.ts';

/** An entry of a statement, by what it can be recognised. */
export type ReadReceipt = {
  readonly reference: string;
  readonly amountCents: bigint;
  readonly postedDay: CivilDay;
  readonly payerDocument?: string | undefined;
  /** The references of all entries of its file: two entries of one file are two payments. */
  readonly listed: ReadonlySet<string>;
};

/** Money that is known already: a payment or an unmatched receipt. */
export type KnownMoney = Pick<Payment, 'reference' | 'amountCents' | 'paidAt' | 'source' | 'payerDocument'>;

/**
 * Whether an entry may be a payment of its charge under another reference: the same amount, on the same day, and not with two
 * endToEndIds, which are certainly two payments. Documents in the texts say nothing here: besides the payer's, banks print
 * those of the payer's bank and of the receiver, and numbers that look like one.
 */
export function mayBeSameOfCharge(known: KnownMoney, read: ReadReceipt): boolean {
  if (known.amountCents !== read.amountCents || read.listed.has(known.reference)) return false;
  if (isEndToEndId(known.reference) && isEndToEndId(read.reference)) return false;
  return isOfDay(known, read.postedDay);
}

/** As `mayBeSameOfCharge`, for money without a common charge: not when both texts have a document and these differ. */
export function mayBeSame(known: KnownMoney, read: ReadReceipt): boolean {
  return mayBeSameOfCharge(known, read) && !areOfTwoPayers(known.payerDocument, read.payerDocument);
}

/** A payment is often typed in days after it came, with the time of typing. */
function isOfDay({ paidAt, source }: KnownMoney, day: CivilDay): boolean {
  const knownDay = civilDay(paidAt);
  return knownDay === day || (source === 'operator' && knownDay > day);
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
  return isOfDay(known, day) || (!isDayGiven && civilDay(known.paidAt) < day);
}
