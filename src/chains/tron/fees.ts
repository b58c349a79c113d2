// What a transfer costs on Tron: energy for a contract call, bandwidth for its bytes, and a fee for an account that does not
// exist yet. All in sun, a millionth of a TRX.
import type { ChainParameters } from './answers.ts';

/** The default cap on what one call may cost: 30 TRX. */
export const DEFAULT_FEE_CAP = 30_000_000n;

/** Energy of a USDT transfer to an address without USDT, the most expensive case; one to a holder needs half of it. */
const EMPTY_PAYEE_ENERGY = 130_285n;
/** The same, rounded up. */
const DEAREST_TRANSFER_ENERGY = 131_000n;
/** A state that changes between estimate and block may need more: 30 %. */
const MARGIN_PERCENT = 130n;
/** Bytes of a signed transfer and 64 for its result, which the network counts too; rounded up. */
const TOKEN_BYTES = 360n;
const COIN_BYTES = 280n;

/**
 * The fee limit of a call that needs so much energy; undefined when even the estimate is above the cap. It covers a payee whose balance has
 * become zero by then: with too little energy the whole fee is lost. What is not needed is not charged.
 */
export function feeLimitOf(energy: bigint, { energyFee }: ChainParameters, cap: bigint): bigint | undefined {
  const estimate = energy * energyFee;
  if (estimate > cap) return undefined;
  const covered = largerOf(energy, EMPTY_PAYEE_ENERGY) * energyFee;
  return smallerOf((covered * MARGIN_PERCENT) / 100n, cap);
}

/** The most that one transfer of a token may cost: staked energy and free bandwidth may be used up. */
export function worstTokenFee({ energyFee, bandwidthFee }: ChainParameters, cap: bigint): bigint {
  const energy = smallerOf((DEAREST_TRANSFER_ENERGY * energyFee * MARGIN_PERCENT) / 100n, cap);
  return energy + TOKEN_BYTES * bandwidthFee;
}

/** The most that one transfer of TRX may cost: the payee may have no account yet. */
export function worstCoinFee({ bandwidthFee, newAccountFee, newAccountBandwidthFee }: ChainParameters): bigint {
  const bytes = COIN_BYTES * bandwidthFee;
  const newAccount = newAccountFee + newAccountBandwidthFee;
  return bytes > newAccount ? bytes : newAccount;
}

const largerOf = (a: bigint, b: bigint) => (a > b ? a : b);
const smallerOf = (a: bigint, b: bigint) => (a < b ? a : b);
