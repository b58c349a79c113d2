// A quote: a price locked for some minutes, and the exact arithmetic of cost, fee and quantity. Pure.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import { divideDown, divideUp, tenTo } from '../lib/decimals.ts';
import type { PriceInput } from '../prices/price.ts';

export type Quote = {
  readonly id: string;
  /** If set, only this account may use the quote. */
  readonly accountId?: string;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  readonly currency: Currency;
  /** The price of one unit in the currency, as decimal text. */
  readonly price: string;
  readonly feePercent: string;
  /** The total to pay, fee included. */
  readonly costCents: bigint;
  readonly feeCents: bigint;
  /** Smallest units of the asset; 10^`decimals` of them are one unit. */
  readonly units: bigint;
  /** The payer's share of the network fee, in the same units; already deducted from `units`. */
  readonly networkFeeUnits: bigint;
  readonly decimals: number;
  readonly source: string;
  readonly priceAt: Date;
  readonly inputs: readonly PriceInput[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** The requested amount: how much to pay, or how much to get. */
export type Wanted = { readonly costCents: bigint } | { readonly units: bigint };

export type QuoteRequest = {
  readonly accountId?: string;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  readonly currency: Currency;
  readonly wanted: Wanted;
};

export const QUOTE_LIFE_MS = 5 * 60_000;
/** The maximum of a pix. */
export const MAX_COST_CENTS = 999_999_999_999n;

/** A quote is valid until just before `expiresAt`. */
export function isExpired({ expiresAt }: Pick<Quote, 'expiresAt'>, now: Date): boolean {
  return now >= expiresAt;
}

type Terms = {
  /** The price of one unit in the currency, as decimal text above zero. */
  readonly price: string;
  readonly decimals: number;
  /** From 0 to below 100, as decimal text. */
  readonly feePercent: string;
  /** The payer's share of the network fee, in smallest units. */
  readonly networkFeeUnits?: bigint;
} & Wanted;

type PricedOrder = { readonly costCents: bigint; readonly feeCents: bigint; readonly units: bigint };

const CENTS = 100n;

/**
 * Computes the cost, fee and quantity of an order. Every rounding is against the payer: fee up, quantity down, cost up. For a cost, the
 * quantity is what the cost minus the fee buys, less the network fee, possibly zero. For units, the cost is the smallest that, minus its
 * fee, pays for them and the network fee.
 */
export function priceOrder(terms: Terms): PricedOrder {
  const price = fractionOf(terms.price);
  const fee = shareOf(terms.feePercent);
  const oneUnit = tenTo(terms.decimals);
  const { networkFeeUnits = 0n } = terms;
  if (price.numerator === 0n || fee.numerator >= fee.denominator)
    throw new RangeError('a price is above zero, a fee below all');
  if ('costCents' in terms) {
    const { costCents } = terms;
    const feeCents = feeOf(costCents, fee);
    const bought = divideDown((costCents - feeCents) * oneUnit * price.denominator, CENTS * price.numerator);
    return { costCents, feeCents, units: bought > networkFeeUnits ? bought - networkFeeUnits : 0n };
  }
  const netCents = divideUp((terms.units + networkFeeUnits) * price.numerator * CENTS, oneUnit * price.denominator);
  // cost − ⌈cost · fee⌉ ≥ net exactly when cost · (1 − fee) ≥ net, because net is an integer.
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
