// The prices of a sandbox: a configured table in reais, and configured rates for the other currencies.
import type { Currency } from '../lib/currency.ts';
import { divideUp, formatUnits, parseUnits, tenTo } from '../lib/decimals.ts';
import { noPrice, type PriceInput, type PriceSource } from '../prices/price.ts';

type Table = {
  /** Reais for one unit of each symbol. */
  readonly reais: Readonly<Record<string, string>>;
  /** Reais for one unit of another currency. */
  readonly rates: { readonly [currency in Exclude<Currency, 'BRL'>]?: string };
};

/** Decimals of a price that was divided by a rate. */
const DIVIDED_DECIMALS = 8;
/** More than the configuration allows. */
const CONFIGURED_DECIMALS = 18;

/** Prices from a table, always with the current time. A quotient is rounded up, never in favour of the payer. */
export function tablePrices({ reais, rates }: Table): PriceSource {
  const name = 'table';
  return {
    name,
    async price(symbol, currency, now) {
      const at = now.toISOString();
      const value = Object.hasOwn(reais, symbol) ? reais[symbol] : undefined;
      const rate = currency === 'BRL' ? '1' : rates[currency];
      if (value === undefined || rate === undefined) throw noPrice(symbol, currency);
      const inputs: PriceInput[] = [{ source: name, value, at }];
      if (currency === 'BRL') return { value: plain(value), source: name, at: now, inputs };
      inputs.push({ source: `rate ${currency}`, value: rate, at });
      return { value: quotientUp(value, rate), source: name, at: now, inputs };
    },
  };
}

function quotientUp(dividend: string, divisor: string): string {
  const units = divideUp(unitsOf(dividend) * tenTo(DIVIDED_DECIMALS), unitsOf(divisor));
  return formatUnits(units, DIVIDED_DECIMALS);
}

function plain(text: string): string {
  return formatUnits(unitsOf(text), CONFIGURED_DECIMALS);
}

function unitsOf(text: string): bigint {
  const units = parseUnits(text, CONFIGURED_DECIMALS);
  if (units === undefined || units === 0n) throw new RangeError('a configured price is a decimal above zero');
  return units;
}
