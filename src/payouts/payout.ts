// The types of a payout: crypto for its owner, of a cold sweep or of a top-up, sent on a chain.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt, Block, Intent, Place, Sighting, Transfer } from '../chains/chain.ts';
import type { SentSymbol } from '../chains/networks.ts';

/**
 * `done`: enough confirmations. `final`: the network undoes it no more, and it is looked up no more. The last three are as
 * final, with the slot used up: `reverted`, nothing moved; `mismatched`, another amount or address received crypto; `voided`,
 * an operator gave the slot up and nothing moved.
 */
export const PAYOUT_STATES = ['open', 'done', 'final', 'reverted', 'mismatched', 'voided'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** Why no transfer is signed for a slot: its owner is held for the same reason. */
export const UNSIGNED_REASONS = ['wallet_refused', 'payouts_paused', 'transfer_refused'] as const;
export type UnsignedReason = (typeof UNSIGNED_REASONS)[number];

/** Such a slot is given up, or kept until something changes. */
const UNSIGNED_SLOTS = ['void', 'hold'] as const;
export type UnsignedSlots = (typeof UNSIGNED_SLOTS)[number];

/** A transfer to make, and its owner. */
export type PayoutRequest = {
  readonly accountId: string;
  readonly ownerId: string;
  readonly network: Network;
  readonly symbol: AssetSymbol;
  /** Smallest units of the asset. */
  readonly units: bigint;
  readonly destination: string;
  /** The key or person that created the owner or took its newest price, as in the audit log; absent in a sandbox. */
  readonly requestedBy?: string;
};

/** A transfer without an owner: a sweep to the cold address, or a top-up of another of our senders. */
export type OwnRequest = Omit<PayoutRequest, 'ownerId' | 'symbol'> & {
  readonly symbol: SentSymbol;
  readonly sweptBy: string;
  readonly isTopUp?: true;
};

export type Payout = Omit<PayoutRequest, 'ownerId' | 'symbol'> & {
  readonly id: string;
  readonly symbol: SentSymbol;
  /** Absent: a cold sweep, a top-up or a gap fill, which `sweptBy` asked for. */
  readonly ownerId?: string;
  readonly sweptBy?: string;
  /** It goes to another of our senders, so that it can pay fees. */
  readonly isTopUp?: true;
  /** It moves nothing, and uses up a skipped slot. */
  readonly isGapFill?: true;
  readonly sender: string;
  readonly nonce: bigint;
  readonly state: PayoutState;
  /** The hash of the attempt that the chain has mined. */
  readonly hash?: string;
  /** The block in which the last lookup saw it. */
  readonly block?: Block;
  readonly confirmations: number;
  /** What left the sender, when it differs from what was asked for. */
  readonly leftUnits?: bigint;
  /** The network fee, in its coin, as posted. */
  readonly feeUnits?: bigint;
  /** When the slot was given up, by an operator or for its `unsignedReason`. From then on no transfer is signed for it. */
  readonly voidRequestedAt?: Date;
  /** Absent once a transfer is signed, and when an operator gives the slot up. */
  readonly unsignedReason?: UnsignedReason;
  /** The result of the last lookup. */
  readonly lastSighting?: Sighting['kind'];
  /** The number of consecutive lookups without a change. */
  readonly idleLookups: number;
  readonly attempts: readonly Attempt[];
  /** The chain at the time it was made, independent of later settings. Absent in payouts of a version that did not record it. */
  readonly place?: Place;
  /** When signed bytes were first handed to a node. */
  readonly sentAt?: Date;
  /** Since when nodes that answer do not show what made it `done`. */
  readonly contradictedAt?: Date;
  /** When it took its slot, and when it last changed. */
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A payout is looked up until its outcome is final. */
export function isWatched({ state }: Payout): boolean {
  return state === 'open' || state === 'done';
}

/** Whether a future block may still use its slot: the number of such slots is limited. */
export function isUnmined(payout: Payout): boolean {
  return isWatched(payout) && payout.block === undefined;
}

/** The units that left, with enough confirmations. */
export function sentUnits({ state, units, leftUnits = 0n }: Payout): bigint {
  if (state === 'done' || state === 'final') return units;
  return state === 'mismatched' ? leftUnits : 0n;
}

/** Whether it is known for good that nothing left. */
export function hasMovedNothing({ state }: Payout): boolean {
  return state === 'reverted' || state === 'voided';
}

export function transferOf({ network, sender, nonce, symbol, units, destination }: Payout): Transfer {
  return { slot: { network, sender, nonce }, symbol, units, to: destination };
}

export function intentOf(
  { symbol, units, destination }: Pick<Payout, 'symbol' | 'units' | 'destination'>,
  sender: string,
): Intent {
  return { sender, symbol, units, to: destination };
}
