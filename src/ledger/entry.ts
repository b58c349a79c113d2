// An entry of the ledger: one movement, told by lines that sum to zero in each currency. The words of both lists stand in
// check constraints too.
import type { LedgerCurrency } from './currency.ts';

/** Where money and crypto can be. A plus is what a book has gained, a minus what it has given. */
export const BOOKS = [
  /** What payers gave: minus when they pay. */
  'payer',
  /** Paid boletos that the bank has not credited. */
  'receivable',
  /** Money at hand. */
  'settled',
  /** Money that went back. */
  'refund',
  /** The position between reais and crypto. */
  'exchange',
  /** What we earn: minus. */
  'fee',
  /** Crypto that is promised: minus. */
  'crypto_owed',
  /** Crypto that left: minus. */
  'crypto_paid',
] as const;
export type Book = (typeof BOOKS)[number];

export const ENTRY_KINDS = [
  'payment',
  'settlement',
  'refund',
  'commitment',
  'release',
  'payout',
  'payout_undone',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export type Line = {
  readonly book: Book;
  readonly currency: LedgerCurrency;
  /** Cents, or smallest units of the asset. Never zero. */
  readonly amount: bigint;
};

export type Entry = {
  readonly id: string;
  readonly kind: EntryKind;
  /** What moved. The same cause posts one entry of a kind. */
  readonly causeId: string;
  readonly accountId: string;
  /** When it moved. */
  readonly at: Date;
  readonly chargeId?: string;
  readonly transactionId?: string;
  readonly lines: readonly Line[];
};
