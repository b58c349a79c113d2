// Facts about the networks: required confirmations, block time, the coin, and the contract of each token. Addresses and decimals
// agree with the lists of the issuers; they are checked against a node again before anything is sent.
import type { AssetSymbol, Network } from './asset.ts';

type Token = { readonly address: string; readonly decimals: number };

/** The coins of the networks; `pol` and `bnb` only pay fees. */
export type CoinSymbol = Extract<AssetSymbol, 'eth' | 'trx'> | 'pol' | 'bnb';
export type Coin = { readonly symbol: CoinSymbol; readonly decimals: number };

export type NetworkFacts = {
  readonly kind: 'evm' | 'tron';
  /** The number of confirmations, its own block included, after which a transfer is done. */
  readonly confirmations: number;
  readonly blockMs: number;
  /** What the network takes its fees in. Some coins are assets that can be paid out too. */
  readonly coin: Coin;
  readonly tokens: { readonly [S in AssetSymbol]?: Token };
  /** Where a person looks up what is on the network; a hash or an address follows. */
  readonly explorer: { readonly transaction: string; readonly address: string };
};

/** The explorers that Etherscan runs have one form of addresses. */
const etherscan = (site: string) => ({ transaction: `https://${site}/tx/`, address: `https://${site}/address/` });

const ETH = { symbol: 'eth', decimals: 18 } as const;

export const NETWORK_FACTS = {
  ethereum: {
    kind: 'evm',
    confirmations: 12,
    blockMs: 12_000,
    coin: ETH,
    tokens: {
      usdt: { address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
      usdc: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
    },
    explorer: etherscan('etherscan.io'),
  },
  polygon: {
    kind: 'evm',
    confirmations: 64,
    blockMs: 1_750,
    coin: { symbol: 'pol', decimals: 18 },
    tokens: {
      usdt: { address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6 },
      usdc: { address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6 },
    },
    explorer: etherscan('polygonscan.com'),
  },
  base: {
    kind: 'evm',
    confirmations: 20,
    blockMs: 2_000,
    coin: ETH,
    tokens: { usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 } },
    explorer: etherscan('basescan.org'),
  },
  arbitrum: {
    kind: 'evm',
    confirmations: 30,
    blockMs: 250,
    coin: ETH,
    tokens: {
      usdt: { address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
      usdc: { address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
    },
    explorer: etherscan('arbiscan.io'),
  },
  bsc: {
    kind: 'evm',
    confirmations: 15,
    blockMs: 450,
    coin: { symbol: 'bnb', decimals: 18 },
    tokens: {
      usdt: { address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
      usdc: { address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18 },
    },
    explorer: etherscan('bscscan.com'),
  },
  tron: {
    kind: 'tron',
    confirmations: 19,
    blockMs: 3_000,
    coin: { symbol: 'trx', decimals: 6 },
    tokens: { usdt: { address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', decimals: 6 } },
    explorer: { transaction: 'https://tronscan.org/#/transaction/', address: 'https://tronscan.org/#/address/' },
  },
} as const satisfies Record<Network, NetworkFacts>;

/** The decimals of an asset on a network. Refuses a pair that does not exist. */
export function decimalsOf(symbol: AssetSymbol, network: Network): number {
  const { coin, tokens }: NetworkFacts = NETWORK_FACTS[network];
  const decimals = coin.symbol === symbol ? coin.decimals : tokens[symbol]?.decimals;
  if (decimals === undefined) throw new RangeError(`there is no ${symbol} on ${network}`);
  return decimals;
}

export function coinOf(network: Network): Coin {
  return NETWORK_FACTS[network].coin;
}

/** The page of a transaction or an address in the explorer of its network. */
export function explorerPage(network: Network, kind: keyof NetworkFacts['explorer'], id: string): string {
  return NETWORK_FACTS[network].explorer[kind] + encodeURIComponent(id);
}

const HASHES = { evm: /^0x[0-9a-f]{64}$/i, tron: /^[0-9a-f]{64}$/i };

/** Whether a text has the form of a transaction's hash. */
export function isTransactionHash(network: Network, text: string): boolean {
  return HASHES[NETWORK_FACTS[network].kind].test(text);
}
