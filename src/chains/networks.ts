// What is known of each network, by its name.
import { symbolsOn } from './asset.ts';
import { FAMILIES, type Family, type Network } from './families.ts';
import type { Coin, HashForm, NetworkFacts } from './family.ts';
import { type AssetSymbol, SYMBOLS } from './symbol.ts';

type Known = (typeof FAMILIES)[number]['networks'][number];

/** The coins of the networks; some of them only pay fees. */
export type CoinSymbol = Known['coin']['symbol'];
/** What a transfer may move: an asset of orders, or the coin of a network. */
export type SentSymbol = AssetSymbol | CoinSymbol;

export const NETWORK_FACTS = Object.fromEntries(
  FAMILIES.flatMap(({ networks }) => networks.map(facts => [facts.id, facts])),
) as { readonly [N in Network]: Extract<Known, { readonly id: N }> };

/** Every asset, and the coins that only pay fees. */
export const SENT_SYMBOLS: readonly SentSymbol[] = [
  ...new Set<SentSymbol>([...SYMBOLS, ...Object.values(NETWORK_FACTS).map(({ coin }) => coin.symbol)]),
];

const FAMILY_OF = Object.fromEntries(
  FAMILIES.flatMap(family => family.networks.map(({ id }) => [id, family])),
) as Readonly<Record<Network, (typeof FAMILIES)[number]>>;

export function familyOf(network: Network): (typeof FAMILIES)[number] {
  return FAMILY_OF[network];
}

/** The family by its kind. */
export function familyNamed(kind: Family): (typeof FAMILIES)[number] {
  return FAMILIES.find(family => family.kind === kind)!;
}

/** The decimals of an asset on a network. Refuses a pair that does not exist. */
export function decimalsOf(symbol: SentSymbol, network: Network): number {
  const { coin, tokens }: NetworkFacts = NETWORK_FACTS[network];
  const decimals = coin.symbol === symbol ? coin.decimals : ofToken(tokens, symbol)?.decimals;
  if (decimals === undefined) throw new RangeError(`there is no ${symbol} on ${network}`);
  return decimals;
}

/** Everything that a transfer on a network may move. */
export function sentSymbolsOn(network: Network): SentSymbol[] {
  return [...new Set<SentSymbol>([...symbolsOn(network), coinOf(network).symbol])];
}

/** What the file of a network says of a token; undefined for the coin. */
export function ofToken<T>(tokens: { readonly [S in AssetSymbol]?: T }, symbol: SentSymbol): T | undefined {
  const bySymbol: { readonly [S in SentSymbol]?: T } = tokens;
  return bySymbol[symbol];
}

export function coinOf(network: Network): Coin & { readonly symbol: CoinSymbol } {
  return NETWORK_FACTS[network].coin;
}

/** The least that an order may send, unless the settings say otherwise. */
export function minimumOf(symbol: AssetSymbol, network: Network): string {
  const { minimums }: NetworkFacts = NETWORK_FACTS[network];
  return minimums[symbol] ?? '0';
}

/** The page of a transaction or an address in the explorer of its network. */
export function explorerPage(network: Network, kind: keyof NetworkFacts['explorer'], id: string): string {
  return NETWORK_FACTS[network].explorer[kind] + encodeURIComponent(id);
}

/** How the network writes the hashes of its transactions. */
export function hashForm(network: Network): HashForm {
  return familyOf(network).hashes;
}

/** Whether a text has the form of a transaction's hash. */
export function isTransactionHash(network: Network, text: string): boolean {
  return hashForm(network).pattern.test(text);
}
