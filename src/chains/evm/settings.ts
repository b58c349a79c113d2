// What an EVM chain runs with: the facts of its network, with the changes of the settings.
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
  /** A former sender can be watched without its key. */
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
  /** In wei per unit of gas. */
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
  /** How long what was read from the network is shared with other payouts. */
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

/** geth and bor accept at least 16 pending transactions of one account; we stay well below. */
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

/** A local node has no L1, so no contract for its fee. */
function withoutL1({ l1FeeOracle: _, ...facts }: EvmNetworkFacts): EvmNetworkFacts {
  return facts;
}

/** A local node has tokens of its own with the decimals of the real ones; addresses are in their canonical spelling. */
function testTokens(known: EvmNetworkFacts, addresses: NonNullable<EvmSettings['test']>['tokens']): EvmPlan['tokens'] {
  const entries = Object.entries(known.tokens).flatMap(([symbol, { decimals }]) => {
    const address: unknown = Reflect.get(addresses, symbol);
    if (typeof address !== 'string') return [];
    return [[symbol, { address: addressOf('evm', Buffer.from(address.slice(2), 'hex')), decimals }]];
  });
  return Object.fromEntries(entries);
}

/** The contract to call to move an asset; undefined for the coin; `absent` when the network does not have the asset. */
export function contractOf(plan: EvmPlan, symbol: SentSymbol): string | undefined | 'absent' {
  if (symbol === plan.coin) return undefined;
  return ofToken(plan.tokens, symbol)?.address ?? 'absent';
}
