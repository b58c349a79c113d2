// A price of crypto with its source, its time and its inputs. A source without a reliable price refuses; it never invents
// one.
import type { Currency } from '../lib/currency.ts';
import { AppError } from '../lib/errors.ts';

/** Why a reading was recorded but not used. */
export const LEFT_OUT = ['too_old', 'in_the_future'] as const;

/** One reading that a price was computed from, as the source gave it. */
export type PriceInput = {
  readonly source: string;
  /** Decimal text. */
  readonly value: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly leftOut?: (typeof LEFT_OUT)[number];
};

type Price = {
  /** The price of one unit in the currency, as decimal text. */
  readonly value: string;
  readonly source: string;
  readonly at: Date;
  readonly inputs: readonly PriceInput[];
};

export type PriceSource = {
  readonly name: string;
  /** The price at a time. Refuses with `price_unavailable` when there is no reliable one. */
  price(symbol: string, currency: Currency, now: Date): Promise<Price>;
};

export function noPrice(symbol: string, currency: Currency): AppError {
  return new AppError('price_unavailable', `There is no reliable price of ${symbol} in ${currency} now; try again.`);
}
