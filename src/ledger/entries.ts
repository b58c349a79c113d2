// Builds ledger entries, one pure function for each kind. The lines of an entry sum to zero; an amount of zero gets no
// line.
import assert from 'node:assert/strict';
import type { Network } from '../chains/asset.ts';
import type { SentSymbol } from '../chains/networks.ts';
import { coinCurrency, cryptoCurrency } from './currency.ts';
import type { Book, Entry, Line } from './entry.ts';

/** The fields of every entry; `id` is the id of the entry, not of its cause. */
type Head = Pick<Entry, 'id' | 'accountId' | 'at'>;
type OfCharge = Head & { readonly chargeId: string; readonly amountCents: bigint };
type OfOrder = Head & { readonly orderId: string; readonly chargeId?: string };
type Crypto = { readonly symbol: SentSymbol; readonly network: Network; readonly units: bigint };

/** A payment was received. `isReceivable`: it came by the boleto that it paid, so the bank has not credited it yet. */
export function paymentEntry(input: OfCharge & { paymentId: string; isReceivable: boolean }): Entry {
  const { amountCents, paymentId, isReceivable, ...head } = input;
  const lines = movedLines('payer', isReceivable ? 'receivable' : 'settled', amountCents);
  return { ...head, kind: 'payment', causeId: paymentId, lines };
}

/** The bank credited a paid boleto. That happens once for a charge, so the charge is the cause. */
export function settlementEntry({ amountCents, ...head }: OfCharge): Entry {
  return {
    ...head,
    kind: 'settlement',
    causeId: head.chargeId,
    lines: movedLines('receivable', 'settled', amountCents),
  };
}

/** The bank's fee on a payment that it credited. */
export function bankFeeEntry({ amountCents, paymentId, ...head }: OfCharge & { paymentId: string }): Entry {
  return { ...head, kind: 'bank_fee', causeId: paymentId, lines: movedLines('settled', 'bank_fee', amountCents) };
}

/** A refund was done. The cause is the refund, or the dispute when a person recorded its end. */
export function refundEntry(input: OfCharge & { causeId: string }): Entry {
  const { amountCents, ...head } = input;
  return { ...head, kind: 'refund', lines: movedLines('settled', 'refund', amountCents) };
}

type OfDispute = OfCharge & { readonly disputeId: string };

/** A bank has blocked disputed money. */
export function disputeOpenedEntry({ amountCents, disputeId, ...head }: OfDispute): Entry {
  const lines = movedLines('settled', 'blocked', amountCents);
  return { ...head, kind: 'dispute_opened', causeId: disputeId, lines };
}

/** Disputed money is blocked no longer; if it went back, a refund follows. */
export function disputeEndedEntry({ amountCents, disputeId, ...head }: OfDispute): Entry {
  const lines = movedLines('blocked', 'settled', amountCents);
  return { ...head, kind: 'dispute_ended', causeId: disputeId, lines };
}

/** The bank has kept disputed money here that a person had recorded as gone. */
export function refundUndoneEntry({ amountCents, disputeId, ...head }: OfDispute): Entry {
  return { ...head, kind: 'refund_undone', causeId: disputeId, lines: movedLines('refund', 'settled', amountCents) };
}

/** The terms of an order: the money that pays for it, the fee in that, and the crypto committed for the rest. */
export type Commitment = OfOrder &
  Crypto & {
    /** A new id each time an order is priced. */
    readonly commitmentId: string;
    readonly keptCents: bigint;
    readonly feeCents: bigint;
  };

/** Reais are exchanged for a commitment of crypto. */
export function commitmentEntry(commitment: Commitment): Entry {
  return {
    ...headOf(commitment),
    kind: 'commitment',
    causeId: commitment.commitmentId,
    lines: committedLines(commitment),
  };
}

/** A commitment is reversed, line by line: the order is refunded, or gets a new price. */
export function releaseEntry(commitment: Commitment): Entry {
  const lines = committedLines(commitment).map(line => ({ ...line, amount: -line.amount }));
  return { ...headOf(commitment), kind: 'release', causeId: commitment.commitmentId, lines };
}

/** A payout of an order, or a cold sweep, which has no order. */
type OfPayout = Head & { readonly orderId?: string; readonly chargeId?: string } & Crypto & {
    readonly payoutId: string;
  };

/** Committed crypto was sent. */
export function payoutEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'payout', causeId: payout.payoutId, lines: sentLines(payout, payout.units) };
}

/** Reverses a payout, or the part of it that did not leave: a reorganisation undid the transfer. */
export function payoutUndoneEntry(payout: OfPayout): Entry {
  return {
    ...headOf(payout),
    kind: 'payout_undone',
    causeId: payout.payoutId,
    lines: sentLines(payout, -payout.units),
  };
}

/** Crypto that is no longer owed by decision of an operator or, below zero, that left without an obligation. */
export function mismatchSettledEntry(payout: OfPayout): Entry {
  const currency = cryptoCurrency(payout.symbol, payout.network);
  const lines = balanced([
    { book: 'crypto_owed', currency, amount: payout.units },
    { book: 'exchange', currency, amount: -payout.units },
  ]);
  return { ...headOf(payout), kind: 'mismatch_settled', causeId: payout.payoutId, lines };
}

/** Crypto went to the cold address. */
export function coldSweepEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'cold_sweep', causeId: payout.payoutId, lines: sweptLines(payout, payout.units) };
}

/** Reverses a cold sweep: a reorganisation undid the transfer. */
export function coldSweepUndoneEntry(payout: OfPayout): Entry {
  return {
    ...headOf(payout),
    kind: 'cold_sweep_undone',
    causeId: payout.payoutId,
    lines: sweptLines(payout, -payout.units),
  };
}

/** Coin went to another of our senders. */
export function topUpEntry(payout: OfPayout): Entry {
  const lines = sweptLines(payout, payout.units, 'own_senders');
  return { ...headOf(payout), kind: 'top_up', causeId: payout.payoutId, lines };
}

/** Reverses a top-up: a reorganisation undid the transfer. */
export function topUpUndoneEntry(payout: OfPayout): Entry {
  const lines = sweptLines(payout, -payout.units, 'own_senders');
  return { ...headOf(payout), kind: 'top_up_undone', causeId: payout.payoutId, lines };
}

/** The network fee of a payout, in its coin. */
export function networkFeeEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'network_fee', causeId: payout.payoutId, lines: feeLines(payout) };
}

/** The final network fee, less the posted one: a reorganisation mined the payout in another block. */
export function feeCorrectionEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'network_fee_corrected', causeId: payout.payoutId, lines: feeLines(payout) };
}

function feeLines({ network, units }: Crypto): Line[] {
  const currency = coinCurrency(network);
  return balanced([
    { book: 'network_fee', currency, amount: units },
    { book: 'crypto_paid', currency, amount: -units },
  ]);
}

function sentLines({ symbol, network }: Crypto, units: bigint): Line[] {
  const currency = cryptoCurrency(symbol, network);
  return balanced([
    { book: 'crypto_owed', currency, amount: units },
    { book: 'crypto_paid', currency, amount: -units },
  ]);
}

function sweptLines({ symbol, network }: Crypto, units: bigint, to: Book = 'cold_wallet'): Line[] {
  const currency = cryptoCurrency(symbol, network);
  return balanced([
    { book: to, currency, amount: units },
    { book: 'crypto_paid', currency, amount: -units },
  ]);
}

function headOf({
  id,
  accountId,
  at,
  orderId,
  chargeId,
}: Head & { readonly orderId?: string; readonly chargeId?: string }) {
  return { id, accountId, at, ...(orderId !== undefined && { orderId }), ...(chargeId !== undefined && { chargeId }) };
}

/** Moves cents from one book to another. */
function movedLines(from: Book, to: Book, amountCents: bigint): Line[] {
  return balanced([
    { book: from, currency: 'BRL', amount: -amountCents },
    { book: to, currency: 'BRL', amount: amountCents },
  ]);
}

function committedLines({ keptCents, feeCents, symbol, network, units }: Commitment): Line[] {
  assert(feeCents >= 0n && keptCents >= feeCents && units >= 0n, 'a fee is part of the money of the order');
  const currency = cryptoCurrency(symbol, network);
  return balanced([
    { book: 'payer', currency: 'BRL', amount: keptCents },
    { book: 'exchange', currency: 'BRL', amount: feeCents - keptCents },
    { book: 'fee', currency: 'BRL', amount: -feeCents },
    { book: 'crypto_owed', currency, amount: -units },
    { book: 'exchange', currency, amount: units },
  ]);
}

function balanced(lines: readonly Line[]): Line[] {
  for (const sameCurrency of Map.groupBy(lines, line => line.currency).values()) {
    const sum = sameCurrency.reduce((total, { amount }) => total + amount, 0n);
    assert(sum === 0n, 'the lines of an entry sum to zero');
  }
  const kept = lines.filter(({ amount }) => amount !== 0n);
  assert(kept.length > 0, 'an entry moves something');
  return kept;
}
