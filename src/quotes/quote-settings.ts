// The settings of quotes: the fee of the service, and how long an unused quote is kept. Terms of each asset are in the limits of payouts.
import { keptFor } from '../lib/settings/kept-for.ts';
import { percentUpTo } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

export const QUOTE_SETTINGS = [
  {
    name: 'TRILHO_FEE_PERCENT',
    kind: percentUpTo('50'),
    default: '0',
    meaning: 'The fee of the service, in percent of the cost of an order.',
  },
  {
    name: 'TRILHO_KEEP_QUOTES',
    kind: keptFor,
    default: 'P30D',
    meaning: 'How long an unused quote is kept; a used one stays.',
  },
] as const satisfies readonly Setting[];

export type QuoteSettings = Readonly<ReturnType<typeof quoteSettingsOf>>;

export function quoteSettingsOf(values: ValuesOf<typeof QUOTE_SETTINGS>) {
  return {
    /** Decimal text. */
    feePercent: values.TRILHO_FEE_PERCENT,
    keepQuotes: values.TRILHO_KEEP_QUOTES,
  };
}
