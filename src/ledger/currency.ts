// The currencies of the ledger: cents of reais, and the smallest units of an asset on one network, because the decimals
// of an asset differ between networks.
import { NETWORKS, NETWORKS_OF, type Network, SYMBOLS } from '../chains/asset.ts';
import { coinOf, decimalsOf, type SentSymbol } from '../chains/networks.ts';
import { formatUnits } from '../lib/decimals.ts';

type CryptoCurrency = `${SentSymbol}.${Network}`;
export type LedgerCurrency = 'BRL' | CryptoCurrency;

export const LEDGER_CURRENCIES: readonly LedgerCurrency[] = [
  'BRL',
  ...new Set([
    ...SYMBOLS.flatMap(symbol => NETWORKS_OF[symbol].map(network => cryptoCurrency(symbol, network))),
    ...NETWORKS.map(coinCurrency),
  ]),
];

/** The currency of an asset on a network: `usdt.polygon`. */
export function cryptoCurrency(symbol: SentSymbol, network: Network): CryptoCurrency {
  return `${symbol}.${network}`;
}

/** The currency of the coin of a network: `pol.polygon`. */
export function coinCurrency(network: Network): CryptoCurrency {
  return `${coinOf(network).symbol}.${network}`;
}

/** A ledger amount as decimal text: reais with two decimals, an asset in its shortest form. */
export function formatAmount(currency: LedgerCurrency, amount: bigint): string {
  if (currency !== 'BRL') return formatUnits(amount, decimalsIn(currency));
  const [whole, cents = ''] = formatUnits(amount, decimalsIn(currency)).split('.');
  return `${whole}.${cents.padEnd(2, '0')}`;
}

/** The number of decimals of the smallest unit of a currency. */
function decimalsIn(currency: LedgerCurrency): number {
  if (currency === 'BRL') return 2;
  const [symbol, network] = currency.split('.') as [SentSymbol, Network];
  return decimalsOf(symbol, network);
}
