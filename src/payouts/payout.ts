// The types of a payout: the crypto of one order, sent on a chain.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt, Block, Sighting, Transfer } from '../chains/chain.ts';

/**
 * `done`: enough confirmations. `final`: past finality, not watched any more. `reverted`: nothing moved, the slot is
 * used up.
 */
export const PAYOUT_STATES = ['open', 'done', 'final', 'reverted'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** What to send, and for which order. */
export type PayoutRequest = {
  readonly accountId: string;
  readonly orderId: string;
  readonly network: Network;
  readonly symbol: AssetSymbol;
  /** Smallest units of the asset. */
  readonly units: bigint;
  readonly destination: string;
};

export type Payout = PayoutRequest & {
  readonly id: string;
  readonly sender: string;
  readonly nonce: bigint;
  readonly state: PayoutState;
  /** The hash of the attempt that the chain has mined. */
  readonly hash?: string;
  /** The block in which the last lookup saw it. */
  readonly block?: Block;
  readonly confirmations: number;
  /** The result of the last lookup. */
  readonly lastSighting?: Sighting['kind'];
  /** The number of consecutive lookups without a change. */
  readonly idleLookups: number;
  readonly attempts: readonly Attempt[];
};

/** A payout is looked up until it is final or reverted. */
export function isWatched({ state }: Payout): boolean {
  return state === 'open' || state === 'done';
}

/** Whether the crypto was sent, with enough confirmations. */
export function isSent({ state }: Payout): boolean {
  return state === 'done' || state === 'final';
}

export function transferOf({ network, sender, nonce, symbol, units, destination }: Payout): Transfer {
  return { slot: { network, sender, nonce }, symbol, units, to: destination };
}
