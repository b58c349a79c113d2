// A top-up: coin of a network that one of our senders sends to another, so that it can pay fees.
import type { Approval } from '../../accounts/approvals.ts';
import type { Network } from '../../chains/asset.ts';
import type { SentSymbol } from '../../chains/networks.ts';

export type TopUp = {
  readonly id: string;
  /** The caller's own id of the request: a repeat returns the first one. */
  readonly requestKey?: string;
  readonly network: Network;
  readonly sender: string;
  readonly destination: string;
  /** The coin of the network. */
  readonly symbol: SentSymbol;
  /** Smallest units. */
  readonly units: bigint;
  /** As the audit log writes actors. */
  readonly requestedBy: string;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
  readonly createdAt: Date;
  /** The payout that sends it; absent while approvals are missing. */
  readonly payoutId?: string;
};
