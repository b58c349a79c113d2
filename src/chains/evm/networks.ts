// Facts about the EVM networks that sending needs: ids, fees, gas, finality, and what each token's contract can be asked.
// Our own table: `viem/chains` would load hundreds of networks, and a wrong id must not come with an update.
import type { AssetSymbol, Network } from '../asset.ts';

export type EvmNetwork = Exclude<Network, 'tron'>;

/** What the contract of a token can be asked before a transfer. */
export type TokenQuestions = {
  /** The function that says whether the issuer blocks an address. */
  readonly blocklist?: 'isBlackListed' | 'isBlacklisted' | 'isBlocked';
  /** Whether it has a switch that makes it keep a part of each transfer. */
  readonly hasFeeSwitch?: true;
};

export type EvmFacts = {
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
  readonly tokens: { readonly [S in AssetSymbol]?: TokenQuestions };
};

const GWEI = 10n ** 9n;
const MINUTE_MS = 60_000;
/** Twice what a transfer of a token takes, and room for the code of wallets and of deposit addresses that get coin. */
const MAX_GAS = 200_000n;

/** Circle's FiatToken; Tether's first contract; the one that Tether uses where it issues through LayerZero. */
const CIRCLE = { blocklist: 'isBlacklisted' } as const;
const TETHER = { blocklist: 'isBlackListed', hasFeeSwitch: true } as const;
const TETHER_V2 = { blocklist: 'isBlocked' } as const;

export const EVM_FACTS = {
  ethereum: {
    chainId: 1,
    minTip: GWEI / 100n,
    maxFee: 300n * GWEI,
    gasMarginPercent: 20n,
    maxGas: MAX_GAS,
    stuckAfterMs: 3 * MINUTE_MS,
    finalityMs: 16 * MINUTE_MS,
    tokens: { usdt: TETHER, usdc: CIRCLE },
  },
  polygon: {
    chainId: 137,
    // bor refuses less than 25 gwei, its documentation asks for 30.
    minTip: 30n * GWEI,
    maxFee: 2_000n * GWEI,
    gasMarginPercent: 20n,
    maxGas: MAX_GAS,
    stuckAfterMs: MINUTE_MS,
    // The tag follows in seconds; final is later, as the depth must be reached too.
    finalityMs: 2 * MINUTE_MS,
    tokens: { usdt: TETHER_V2, usdc: CIRCLE },
  },
  base: {
    chainId: 8453,
    minTip: GWEI / 1_000n,
    maxFee: 20n * GWEI,
    gasMarginPercent: 20n,
    maxGas: MAX_GAS,
    stuckAfterMs: MINUTE_MS,
    finalityMs: 20 * MINUTE_MS,
    // https://docs.base.org/base-chain/specs/upgrades/fjord/predeploys
    l1FeeOracle: '0x420000000000000000000000000000000000000F',
    tokens: { usdc: CIRCLE },
  },
  arbitrum: {
    chainId: 42_161,
    // The sequencer ignores it.
    minTip: 0n,
    maxFee: 20n * GWEI,
    // The estimate holds the part for L1, whose price moves.
    gasMarginPercent: 30n,
    // Where its own gas is cheap and L1 dear, the part for L1 is many times the rest.
    maxGas: 3_000_000n,
    stuckAfterMs: MINUTE_MS,
    finalityMs: 18 * MINUTE_MS,
    tokens: { usdt: TETHER_V2, usdc: CIRCLE },
  },
  bsc: {
    chainId: 56,
    // The base fee is 0 and nodes refuse less.
    minTip: GWEI / 20n,
    maxFee: 20n * GWEI,
    gasMarginPercent: 20n,
    maxGas: MAX_GAS,
    stuckAfterMs: MINUTE_MS,
    finalityMs: MINUTE_MS / 2,
    // Both are issued by Binance, whose contracts have neither a list nor a fee.
    tokens: {},
  },
} as const satisfies Record<EvmNetwork, EvmFacts>;
