// A price of crypto: where it came from, of what moment it is, and what it was made of. No price is ever made up: who has
// none that can be trusted refuses.
import type { Currency } from '../lib/currency.ts';
import { AppError } from '../lib/errors.ts';

/** One number that a price was made of, as it was given. */
export type PriceInput = {
  readonly source: string;
  /** Decimal text. */
  readonly value: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** Why it was kept but did not count. */
  readonly leftOut?: 'too_old' | 'in_the_future';
};

export type Price = {
  /** Currency for one unit, as decimal text. */
  readonly value: string;
  readonly source: string;
  readonly at: Date;
  readonly inputs: readonly PriceInput[];
};

export type PriceSource = {
  readonly name: string;
  /** The price at this moment. Refuses with `price_unavailable` when there is none that can be trusted. */
  price(symbol: string, currency: Currency, now: Date): Promise<Price>;
};

export function noPrice(symbol: string, currency: Currency): AppError {
  return new AppError('price_unavailable', `There is no price of ${symbol} in ${currency} to rely on now; try again.`);
}
