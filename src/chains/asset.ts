// The networks, and the assets that can be paid out: each symbol with its networks, as the files of the networks say.
import { FAMILIES, type Network } from './families.ts';
import type { NetworkFacts } from './family.ts';
import { type AssetSymbol, SYMBOLS } from './symbol.ts';

export { type AssetSymbol, type Network, SYMBOLS };

const FACTS: readonly (NetworkFacts & { readonly id: Network })[] = FAMILIES.flatMap(({ networks }) => [...networks]);

export const NETWORKS: readonly Network[] = FACTS.map(({ id }) => id);

export const NETWORKS_OF: Readonly<Record<AssetSymbol, readonly Network[]>> = {
  usdt: homesOf('usdt'),
  usdc: homesOf('usdc'),
  trx: homesOf('trx'),
  eth: homesOf('eth'),
};

/** The assets of a network. */
export function symbolsOn(network: Network): AssetSymbol[] {
  return SYMBOLS.filter(symbol => NETWORKS_OF[symbol].includes(network));
}

function homesOf(symbol: AssetSymbol): Network[] {
  return FACTS.filter(({ coin, tokens }) => coin.symbol === symbol || tokens[symbol]).map(({ id }) => id);
}
