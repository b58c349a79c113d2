// The configured rates that convert a charge in dollars or euros into reais. The rate is stored with the charge.
import type { Currency } from '../lib/currency.ts';
import { AppError } from '../lib/errors.ts';
import type { LockedRate } from './charge.ts';

type Foreign = Exclude<Currency, 'BRL'>;

/** Returns the rate at a time. Refuses a currency without a configured rate. */
export type RateSource = (currency: Foreign, at: Date) => LockedRate;

export function configuredRates(rates: { readonly [currency in Foreign]?: string }, source: string): RateSource {
  return (currency, at) => {
    const rate = rates[currency];
    if (rate !== undefined) return { rate, source, at };
    const missing = `TRILHO_RATE_${currency} is not set`;
    throw new AppError('charge_refused', `This service has no rate for ${currency}: ${missing}.`, {
      faults: [
        { path: 'currency', code: 'no_rate', message: `must be BRL: this service has no rate for it (${missing})` },
      ],
    });
  };
}
