// Rates at which a charge in dollars or euros becomes payable in reais. The sandbox's are fixed, so that a test knows them.
import type { Currency } from '../lib/currency.ts';
import type { LockedRate } from './charge.ts';

export type RateSource = (currency: Exclude<Currency, 'BRL'>, at: Date) => LockedRate;

const SANDBOX_RATES = { USD: '5.4000', EUR: '6.2500' } as const;

export const sandboxRates: RateSource = (currency, at) => ({ rate: SANDBOX_RATES[currency], source: 'sandbox', at });
