// What the file of an EVM network says. The files are our own: `viem/chains` would load hundreds of networks, and an update must not bring
// in a wrong id.
import type { NetworkFacts, Token } from '../family.ts';
import type { AssetSymbol } from '../symbol.ts';

/** What the contract of a token can be asked before a transfer. */
export type TokenQuestions = {
  /** The function that returns whether the issuer blocks an address. */
  readonly blocklist?: 'isBlackListed' | 'isBlacklisted' | 'isBlocked';
  /** Whether its issuer can switch on a fee that is kept from each transfer. */
  readonly hasFeeSwitch?: true;
};

export type EvmNetworkFacts = NetworkFacts & {
  readonly chainId: number;
  /** The least priority fee that its nodes take, in wei. */
  readonly minTip: bigint;
  /** The most that a unit of gas may cost unless the settings say otherwise, in wei. */
  readonly maxFee: bigint;
  /** Added to an estimate of gas: the L1 fee may rise between estimate and execution. */
  readonly gasMarginPercent: bigint;
  /**
   * The most gas that a transfer may take unless the settings say otherwise, margin included. A transfer of the coin executes the code of
   * the payee.
   */
  readonly maxGas: bigint;
  /** How long an attempt may wait as the first pending one of its sender before it is outbid. */
  readonly stuckAfterMs: number;
  /** How far the `finalized` block usually is behind the head. */
  readonly finalityMs: number;
  /** The contract that returns the L1 fee of a transaction. */
  readonly l1FeeOracle?: string;
  readonly tokens: { readonly [S in AssetSymbol]?: Token & TokenQuestions };
};

export const GWEI = 10n ** 9n;
export const MINUTE_MS = 60_000;
/** Twice the gas of a token transfer, with room for the code of wallets and deposit addresses that receive coin. */
export const MAX_GAS = 200_000n;
export const ETH = { symbol: 'eth', decimals: 18 } as const;

/** Circle's FiatToken; Tether's first contract; the one that Tether uses where it issues through LayerZero. */
export const CIRCLE = { blocklist: 'isBlacklisted' } as const;
export const TETHER = { blocklist: 'isBlackListed', hasFeeSwitch: true } as const;
export const TETHER_V2 = { blocklist: 'isBlocked' } as const;

/** All explorers run by Etherscan use the same URLs. */
export const etherscan = (site: string) => ({
  transaction: `https://${site}/tx/`,
  address: `https://${site}/address/`,
});
