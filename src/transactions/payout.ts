// A payout: the crypto of one order on its way through a chain.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt, Transfer } from '../chains/chain.ts';

/** `done`: deep enough. `final`: so deep that nobody looks any more. `reverted`: its slot is burnt and nothing moved. */
export const PAYOUT_STATES = ['open', 'done', 'final', 'reverted'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

export type Payout = {
  readonly id: string;
  readonly accountId: string;
  readonly transactionId: string;
  readonly network: Network;
  readonly sender: string;
  readonly nonce: bigint;
  readonly symbol: AssetSymbol;
  readonly units: bigint;
  readonly destination: string;
  readonly state: PayoutState;
  /** The attempt that the chain shows. */
  readonly hash?: string;
  readonly confirmations: number;
  /** Looks in a row that showed nothing new. */
  readonly idleLooks: number;
  readonly attempts: readonly Attempt[];
};

export function transferOf({ network, sender, nonce, symbol, units, destination }: Payout): Transfer {
  return { slot: { network, sender, nonce }, symbol, units, to: destination };
}
