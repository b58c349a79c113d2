// The types of a ledger entry: one movement, whose lines sum to zero in each currency. Check constraints list the same
// books and kinds.
import type { LedgerCurrency } from './currency.ts';

/** The books. A positive amount goes into a book, a negative one out of it. */
export const BOOKS = [
  /** Payments by payers: negative. */
  'payer',
  /** Paid boletos that the bank has not credited. */
  'receivable',
  /** Money that is available. */
  'settled',
  /** Refunded money. */
  'refund',
  /** The position between reais and crypto. */
  'exchange',
  /** Fees that the service has earned: negative. */
  'fee',
  /** Committed crypto: negative. */
  'crypto_owed',
  /** Sent crypto: negative. */
  'crypto_paid',
  /** Network fees of transfers, in their coins. */
  'network_fee',
  /** Crypto sent to cold addresses. */
  'cold_wallet',
  /** Bank fees on payments, in reais. */
  'bank_fee',
  /** Coin sent to our other senders by top-ups. */
  'own_senders',
  /** Disputed money that a bank has blocked. */
  'blocked',
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
  'network_fee',
  'network_fee_corrected',
  'cold_sweep',
  'cold_sweep_undone',
  'mismatch_settled',
  'bank_fee',
  'top_up',
  'top_up_undone',
  'dispute_opened',
  'dispute_ended',
  'refund_undone',
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
  /** The id of the cause. One cause posts at most one entry of a kind. */
  readonly causeId: string;
  readonly accountId: string;
  /** The time of the movement. */
  readonly at: Date;
  readonly chargeId?: string;
  readonly orderId?: string;
  readonly lines: readonly Line[];
};
