// What the file of an EVM network says. Our own files: `viem/chains` would load hundreds of networks, and a wrong id must not come with an
// update.
import type { NetworkFacts, Token } from '../family.ts';
import type { AssetSymbol } from '../symbol.ts';

/** What the contract of a token can be asked before a transfer. */
export type TokenQuestions = {
  /** The function that says whether the issuer blocks an address. */
  readonly blocklist?: 'isBlackListed' | 'isBlacklisted' | 'isBlocked';
  /** Whether it has a switch that makes it keep a part of each transfer. */
  readonly hasFeeSwitch?: true;
};

export type EvmNetworkFacts = NetworkFacts & {
  readonly chainId: number;
  /** The least priority fee that its nodes take, in wei. */
  readonly minTip: bigint;
  /** The most that a unit of gas may cost unless the settings say otherwise, in wei. */
  readonly maxFee: bigint;
  /** Added to an estimate of gas: between estimate and execution the price of the part for L1 may rise. */
  readonly gasMarginPercent: bigint;
  /**
   * The most gas that a transfer may take unless the settings say otherwise, margin included. The code of a payee decides what a
   * transfer of the coin takes.
   */
  readonly maxGas: bigint;
  /** How long an attempt may wait in the first place of its sender before it is outbid. */
  readonly stuckAfterMs: number;
  /** How far the `finalized` block usually is behind the head. */
  readonly finalityMs: number;
  /** The contract that says what a transaction pays for its place on L1. */
  readonly l1FeeOracle?: string;
  readonly tokens: { readonly [S in AssetSymbol]?: Token & TokenQuestions };
};

export const GWEI = 10n ** 9n;
export const MINUTE_MS = 60_000;
/** Twice what a transfer of a token takes, and room for the code of wallets and of deposit addresses that get coin. */
export const MAX_GAS = 200_000n;
export const ETH = { symbol: 'eth', decimals: 18 } as const;

/** Circle's FiatToken; Tether's first contract; the one that Tether uses where it issues through LayerZero. */
export const CIRCLE = { blocklist: 'isBlacklisted' } as const;
export const TETHER = { blocklist: 'isBlackListed', hasFeeSwitch: true } as const;
export const TETHER_V2 = { blocklist: 'isBlocked' } as const;

/** The explorers that Etherscan runs have one form of addresses. */
export const etherscan = (site: string) => ({
  transaction: `https://${site}/tx/`,
  address: `https://${site}/address/`,
});
