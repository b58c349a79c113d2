// The interface of a chain that sends crypto. One payout owns one slot (network, sender, nonce) for ever; all its
// attempts use that slot, so the chain executes at most one of them. Signed bytes and hash are saved before they are
// sent. The answer of a broadcast proves nothing: only a lookup does.
import type { AssetSymbol, Network } from './asset.ts';

/** The place of one payout among all transfers of a sender. On a chain without nonces the service counts itself. */
export type Slot = { readonly network: Network; readonly sender: string; readonly nonce: bigint };

export type Transfer = {
  readonly slot: Slot;
  readonly symbol: AssetSymbol;
  /** Smallest units of the asset. */
  readonly units: bigint;
  readonly to: string;
};

/** An attempt at a transfer: signed once, stored for ever, sent as often as needed. Numbered from 1. */
export type Attempt = {
  readonly number: number;
  readonly hash: string;
  /** The signed bytes, as hexadecimal text. */
  readonly raw: string;
};

/** The result of a lookup, for whichever attempt the chain has taken. `unknown`: no node answered. */
export type Sighting =
  /** No node knows any attempt: the newest one may be sent again with the same bytes. */
  | { readonly kind: 'absent' }
  /** An attempt waits to be mined. */
  | { readonly kind: 'pending' }
  /** The attempts will not be mined at their fees: another one, in the same slot, may be signed. */
  | { readonly kind: 'stuck' }
  | {
      readonly kind: 'mined';
      readonly hash: string;
      /** The number of blocks from its own block to the head, both included. */
      readonly confirmations: number;
      /** `transferred` only if destination, asset and amount are those of the transfer. */
      readonly outcome: 'transferred' | 'reverted' | 'mismatched';
    }
  | { readonly kind: 'unknown' };

export type Chain = {
  readonly name: string;
  readonly network: Network;
  /** The address that the service sends from; it never sends to it. */
  readonly sender: string;
  /** Confirmations at which a transfer is done, and at which the lookups end. */
  readonly depth: number;
  readonly finality: number;
  /** The first unused nonce of the sender; undefined when no node answered. Needed once, before its first slot. */
  nextNonce(): Promise<bigint | undefined>;
  /**
   * Whether there is code at an address; undefined when no node answered. An account that has delegated itself to code
   * (EIP-7702) still has its key, and is none.
   */
  isContract(address: string): Promise<boolean | undefined>;
  /** Signs attempt `number` of a transfer; a later attempt pays a higher fee. Nothing is sent. */
  sign(transfer: Transfer, number: number): Promise<Omit<Attempt, 'number'>>;
  /** Sends signed bytes. Idempotent. Never throws for a failure of a node or of the network. */
  broadcast(attempt: Attempt): Promise<'sent' | 'unknown'>;
  lookup(transfer: Transfer, attempts: readonly Attempt[]): Promise<Sighting>;
  /** When to look the transfer up again, after a sighting. Pure. */
  nextLookupAt(sighting: Sighting, now: Date): Date;
};

/** The chain of each network; orders on a network without one are refused. */
export type Chains = { readonly [N in Network]?: Chain };

/** Every address that the service sends from. */
export function sendersOf(chains: Chains): string[] {
  return Object.values(chains).map(({ sender }) => sender);
}
