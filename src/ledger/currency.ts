// What the books are kept in: cents of reais, and the smallest units of an asset on one network, since the same asset has
// other decimals elsewhere.
import { type AssetSymbol, NETWORKS_OF, type Network, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import { formatUnits } from '../lib/decimals.ts';

export type CryptoCurrency = `${AssetSymbol}.${Network}`;
export type LedgerCurrency = 'BRL' | CryptoCurrency;

export const LEDGER_CURRENCIES: readonly LedgerCurrency[] = [
  'BRL',
  ...SYMBOLS.flatMap(symbol => NETWORKS_OF[symbol].map(network => cryptoCurrency(symbol, network))),
];

/** An asset on a network as the books name it: `usdt.polygon`. */
export function cryptoCurrency(symbol: AssetSymbol, network: Network): CryptoCurrency {
  return `${symbol}.${network}`;
}

/** A book's whole number as decimal text: reais with both their cents, an asset in its shortest form. */
export function formatAmount(currency: LedgerCurrency, amount: bigint): string {
  if (currency !== 'BRL') return formatUnits(amount, decimalsIn(currency));
  const [whole, cents = ''] = formatUnits(amount, decimalsIn(currency)).split('.');
  return `${whole}.${cents.padEnd(2, '0')}`;
}

/** How many decimals the smallest unit of a currency stands for. */
export function decimalsIn(currency: LedgerCurrency): number {
  if (currency === 'BRL') return 2;
  const [symbol, network] = currency.split('.') as [AssetSymbol, Network];
  return decimalsOf(symbol, network);
}
