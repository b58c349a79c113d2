// What an EVM chain runs with: the facts of its network, as the settings change them.
import { addressOf } from '../address.ts';
import type { AssetSymbol } from '../asset.ts';
import { type CoinSymbol, NETWORK_FACTS, ofToken, type SentSymbol } from '../networks.ts';
import type { Signer } from '../signer/signer.ts';
import type { FeeLimits } from './fees.ts';
import type { EvmNetworkFacts } from './network.ts';
import type { EvmNetwork } from './networks/list.ts';
import type { ProviderSettings } from './provider.ts';

export type EvmSender = {
  readonly address: string;
  /** A former sender may be looked after without its key. */
  readonly signer?: Signer;
  /** Takes new slots, as the first always does. */
  readonly isActive?: boolean;
};

export type EvmSettings = {
  readonly network: EvmNetwork;
  readonly providers: readonly ProviderSettings[];
  /** The first takes new slots, and so do those that are active. */
  readonly senders: readonly [EvmSender, ...EvmSender[]];
  readonly depth?: number;
  readonly window?: number;
  readonly maxAttempts?: number;
  /** In wei for a unit of gas. */
  readonly maxFee?: bigint;
  readonly minTip?: bigint;
  /** For one transfer. */
  readonly maxGas?: bigint;
  /** A local node in place of the network. */
  readonly test?: {
    readonly chainId: number;
    readonly blockMs?: number;
    readonly tokens: { readonly [S in AssetSymbol]?: string };
  };
};

/** The settings with everything decided. */
export type EvmPlan = {
  readonly network: EvmNetwork;
  readonly facts: EvmNetworkFacts;
  readonly chainId: number;
  readonly blockMs: number;
  /** How long what was read of the network serves other payouts. */
  readonly maxAgeMs: number;
  readonly depth: number;
  readonly window: number;
  readonly maxAttempts: number;
  readonly fees: FeeLimits;
  readonly maxGas: bigint;
  readonly coin: CoinSymbol;
  /** Whether the settings name the tokens, those of a local node. */
  readonly isTest: boolean;
  readonly tokens: { readonly [S in AssetSymbol]?: { readonly address: string; readonly decimals: number } };
};

/** geth and bor take at least 16 of one account; what waits is kept well below. */
const WINDOW = 8;
const MAX_ATTEMPTS = 8;
const MAX_AGE_MS = 500;

export function planOf(settings: EvmSettings): EvmPlan {
  const { network, test } = settings;
  const known: EvmNetworkFacts = NETWORK_FACTS[network];
  const facts = test ? withoutL1(known) : known;
  const blockMs = test?.blockMs ?? known.blockMs;
  return {
    network,
    facts,
    chainId: test?.chainId ?? facts.chainId,
    blockMs,
    maxAgeMs: Math.min(MAX_AGE_MS, blockMs / 2),
    depth: settings.depth ?? known.confirmations,
    window: settings.window ?? WINDOW,
    maxAttempts: settings.maxAttempts ?? MAX_ATTEMPTS,
    fees: { minTip: settings.minTip ?? facts.minTip, maxFee: settings.maxFee ?? facts.maxFee },
    maxGas: settings.maxGas ?? facts.maxGas,
    coin: NETWORK_FACTS[network].coin.symbol,
    isTest: test !== undefined,
    tokens: test ? testTokens(known, test.tokens) : known.tokens,
  };
}

/** A local node is its own L1, and has no contract that says what a place on another one costs. */
function withoutL1({ l1FeeOracle: _, ...facts }: EvmNetworkFacts): EvmNetworkFacts {
  return facts;
}

/** A local node has tokens of its own, with the decimals that the real ones have, here in the one spelling of addresses. */
function testTokens(known: EvmNetworkFacts, addresses: NonNullable<EvmSettings['test']>['tokens']): EvmPlan['tokens'] {
  const entries = Object.entries(known.tokens).flatMap(([symbol, { decimals }]) => {
    const address: unknown = Reflect.get(addresses, symbol);
    if (typeof address !== 'string') return [];
    return [[symbol, { address: addressOf('evm', Buffer.from(address.slice(2), 'hex')), decimals }]];
  });
  return Object.fromEntries(entries);
}

/** The contract to call to move an asset; undefined for the coin; `none` when the network does not have the asset. */
export function contractOf(plan: EvmPlan, symbol: SentSymbol): string | undefined | 'none' {
  if (symbol === plan.coin) return undefined;
  return ofToken(plan.tokens, symbol)?.address ?? 'none';
}
