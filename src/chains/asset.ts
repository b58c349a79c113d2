// The assets that can be paid out: each symbol with its networks. A check constraint lists the same pairs.

export const SYMBOLS = ['usdt', 'usdc', 'trx', 'eth'] as const;
export type AssetSymbol = (typeof SYMBOLS)[number];

export const NETWORKS = ['ethereum', 'polygon', 'base', 'arbitrum', 'bsc', 'tron'] as const;
export type Network = (typeof NETWORKS)[number];

export const NETWORKS_OF = {
  usdt: ['ethereum', 'polygon', 'arbitrum', 'bsc', 'tron'],
  usdc: ['ethereum', 'polygon', 'base', 'arbitrum', 'bsc'],
  eth: ['ethereum', 'base', 'arbitrum'],
  trx: ['tron'],
} as const satisfies Record<AssetSymbol, readonly Network[]>;

/** The assets of a network. */
export function symbolsOn(network: Network): AssetSymbol[] {
  return SYMBOLS.filter(symbol => NETWORKS_OF[symbol].some(home => home === network));
}
