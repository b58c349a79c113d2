// A quote: a price locked for a while, and the exact arithmetic of cost, fee and quantity. Pure: nothing here asks or writes.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import { divideDown, divideUp, tenTo } from '../lib/decimals.ts';
import type { PriceInput } from '../prices/price.ts';

export type Quote = {
  readonly id: string;
  /** When given, only this account may order with it. */
  readonly accountId?: string;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  readonly currency: Currency;
  /** Currency for one unit, as decimal text. */
  readonly price: string;
  readonly feePercent: string;
  /** What is paid in all, the fee included. */
  readonly costCents: bigint;
  readonly feeCents: bigint;
  /** Smallest units of the asset, of which 10^`decimals` are one. */
  readonly units: bigint;
  readonly decimals: number;
  readonly source: string;
  readonly priceAt: Date;
  readonly inputs: readonly PriceInput[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** What is asked for: how much to pay, or how much to get. */
export type Wanted = { readonly costCents: bigint } | { readonly units: bigint };

export type QuoteRequest = {
  readonly accountId?: string;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  readonly currency: Currency;
  readonly wanted: Wanted;
};

export const QUOTE_LIFE_MS = 5 * 60_000;
/** What a pix can carry. */
export const MAX_COST_CENTS = 999_999_999_999n;

/** A quote serves until its last moment and no longer. */
export function isExpired({ expiresAt }: Pick<Quote, 'expiresAt'>, now: Date): boolean {
  return now >= expiresAt;
}

export type Terms = {
  /** Currency for one unit, as decimal text above zero. */
  readonly price: string;
  readonly decimals: number;
  /** From 0 to below 100, as decimal text. */
  readonly feePercent: string;
} & Wanted;

export type PricedOrder = { readonly costCents: bigint; readonly feeCents: bigint; readonly units: bigint };

const CENTS = 100n;

/**
 * What an order costs, what of it is fee, and what it buys. Every rounding goes against who pays: the fee up, a quantity
 * down, a cost up. Given a cost, it buys as much as the rest after the fee can pay, which may be nothing at all. Given
 * units, the cost is the smallest whose rest after the fee can pay for them.
 */
export function priceOrder(terms: Terms): PricedOrder {
  const price = fractionOf(terms.price);
  const fee = shareOf(terms.feePercent);
  const oneUnit = tenTo(terms.decimals);
  if (price.numerator === 0n || fee.numerator >= fee.denominator)
    throw new RangeError('a price is above zero, a fee below all');
  if ('costCents' in terms) {
    const { costCents } = terms;
    const feeCents = feeOf(costCents, fee);
    const units = divideDown((costCents - feeCents) * oneUnit * price.denominator, CENTS * price.numerator);
    return { costCents, feeCents, units };
  }
  const netCents = divideUp(terms.units * price.numerator * CENTS, oneUnit * price.denominator);
  // cost − ⌈cost · fee⌉ ≥ net holds just when cost · (1 − fee) ≥ net, since net is whole.
  const costCents = divideUp(netCents * fee.denominator, fee.denominator - fee.numerator);
  return { costCents, feeCents: feeOf(costCents, fee), units: terms.units };
}

type Fraction = { readonly numerator: bigint; readonly denominator: bigint };

function feeOf(costCents: bigint, { numerator, denominator }: Fraction): bigint {
  return divideUp(costCents * numerator, denominator);
}

function shareOf(percent: string): Fraction {
  const { numerator, denominator } = fractionOf(percent);
  return { numerator, denominator: denominator * 100n };
}

function fractionOf(text: string): Fraction {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new RangeError('a price or a percent is decimal text');
  const [whole = '', fraction = ''] = text.split('.');
  return { numerator: BigInt(whole + fraction), denominator: tenTo(fraction.length) };
}
