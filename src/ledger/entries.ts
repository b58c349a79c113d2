// The entries there are, one pure function for each. Each takes what moved and gives lines that sum to zero; an amount of
// zero has no line.
import assert from 'node:assert/strict';
import type { AssetSymbol, Network } from '../chains/asset.ts';
import { cryptoCurrency } from './currency.ts';
import type { Book, Entry, Line } from './entry.ts';

/** What every entry is told of; `id` names the entry, not its cause. */
type Head = Pick<Entry, 'id' | 'accountId' | 'at'>;
type OfCharge = Head & { readonly chargeId: string; readonly amountCents: bigint };
type OfTransaction = Head & { readonly transactionId: string; readonly chargeId?: string };
type Crypto = { readonly symbol: AssetSymbol; readonly network: Network; readonly units: bigint };

/** Money came. `isReceivable`: by the boleto that it paid, so the bank still owes it. */
export function paymentEntry(input: OfCharge & { paymentId: string; isReceivable: boolean }): Entry {
  const { amountCents, paymentId, isReceivable, ...head } = input;
  const lines = moved('payer', isReceivable ? 'receivable' : 'settled', amountCents);
  return { ...head, kind: 'payment', causeId: paymentId, lines };
}

/** The bank credited a paid boleto. A charge has one such moment, so it is the cause. */
export function settlementEntry({ amountCents, ...head }: OfCharge): Entry {
  return { ...head, kind: 'settlement', causeId: head.chargeId, lines: moved('receivable', 'settled', amountCents) };
}

/** Money went back. */
export function refundEntry(input: OfCharge & { refundId: string }): Entry {
  const { amountCents, refundId, ...head } = input;
  return { ...head, kind: 'refund', causeId: refundId, lines: moved('settled', 'refund', amountCents) };
}

/** What was decided for an order: what of its money is kept, what of that is our fee, and the crypto promised for the rest. */
export type Commitment = OfTransaction &
  Crypto & {
    /** One for each time an order is priced. */
    readonly commitmentId: string;
    readonly keptCents: bigint;
    readonly feeCents: bigint;
  };

/** Reais become a promise of crypto. */
export function commitmentEntry(commitment: Commitment): Entry {
  return { ...headOf(commitment), kind: 'commitment', causeId: commitment.commitmentId, lines: committed(commitment) };
}

/** A commitment is taken back, line by line: the order is refunded, or priced again. */
export function releaseEntry(commitment: Commitment): Entry {
  const lines = committed(commitment).map(line => ({ ...line, amount: -line.amount }));
  return { ...headOf(commitment), kind: 'release', causeId: commitment.commitmentId, lines };
}

type OfPayout = OfTransaction & Crypto & { readonly payoutId: string };

/** Promised crypto left. */
export function payoutEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'payout', causeId: payout.payoutId, lines: left(payout, payout.units) };
}

/** Crypto that had left came back: a chain undid the transfer and carried it out otherwise. */
export function payoutUndoneEntry(payout: OfPayout): Entry {
  return { ...headOf(payout), kind: 'payout_undone', causeId: payout.payoutId, lines: left(payout, -payout.units) };
}

function left({ symbol, network }: Crypto, units: bigint): Line[] {
  const currency = cryptoCurrency(symbol, network);
  return balanced([
    { book: 'crypto_owed', currency, amount: units },
    { book: 'crypto_paid', currency, amount: -units },
  ]);
}

function headOf({ id, accountId, at, transactionId, chargeId }: OfTransaction) {
  return { id, accountId, at, transactionId, ...(chargeId !== undefined && { chargeId }) };
}

/** Cents that go from one book to another. */
function moved(from: Book, to: Book, amountCents: bigint): Line[] {
  return balanced([
    { book: from, currency: 'BRL', amount: -amountCents },
    { book: to, currency: 'BRL', amount: amountCents },
  ]);
}

function committed({ keptCents, feeCents, symbol, network, units }: Commitment): Line[] {
  assert(feeCents >= 0n && keptCents >= feeCents && units >= 0n, 'a fee is part of what is kept');
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
  for (const alike of Map.groupBy(lines, line => line.currency).values()) {
    const sum = alike.reduce((total, { amount }) => total + amount, 0n);
    assert(sum === 0n, 'the lines of an entry sum to zero');
  }
  const kept = lines.filter(({ amount }) => amount !== 0n);
  assert(kept.length > 0, 'an entry moves something');
  return kept;
}
