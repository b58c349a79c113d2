// Rates at which a charge in dollars or euros becomes payable in reais: configured, and kept with the charge.
import type { Currency } from '../lib/currency.ts';
import { AppError } from '../lib/errors.ts';
import type { LockedRate } from './charge.ts';

type Foreign = Exclude<Currency, 'BRL'>;

/** The rate of a moment. Refuses a currency that there is none for. */
export type RateSource = (currency: Foreign, at: Date) => LockedRate;

export function configuredRates(rates: { readonly [currency in Foreign]?: string }, source: string): RateSource {
  return (currency, at) => {
    const rate = rates[currency];
    if (rate !== undefined) return { rate, source, at };
    throw new AppError('charge_refused', `This service has no rate for ${currency}.`, {
      faults: [{ path: 'currency', code: 'no_rate', message: 'must be BRL: this service has no rate for it' }],
    });
  };
}
