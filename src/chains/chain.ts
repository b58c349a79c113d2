// A chain: how crypto leaves. One payout owns one slot (network, sender, nonce) for ever; every attempt to send it shares
// that slot, so the chain itself lets at most one through. Bytes and hash are saved before they are sent, and what a
// broadcast answers is never evidence: only what the chain shows is.
import type { AssetSymbol, Network } from './asset.ts';

/** The place of one payout among all that a sender ever sends. Where a chain has no nonce, it is a count of our own. */
export type Slot = { readonly network: Network; readonly sender: string; readonly nonce: bigint };

export type Transfer = {
  readonly slot: Slot;
  readonly symbol: AssetSymbol;
  /** Smallest units of the asset. */
  readonly units: bigint;
  readonly to: string;
};

/** One try at a transfer: signed once, kept for ever, sent as often as needed. Numbered from 1. */
export type Attempt = {
  readonly number: number;
  readonly hash: string;
  /** The signed bytes, as hexadecimal text. */
  readonly raw: string;
};

/** What the chain shows of a transfer, whichever attempt carried it. *Unknown* is an answer: the reply was lost. */
export type Sighting =
  /** Nobody knows of any attempt: the newest may be sent again, byte for byte. */
  | { readonly kind: 'absent' }
  /** It waits to be mined. */
  | { readonly kind: 'pending' }
  /** As they are, the attempts will not be mined: a further one, in the same slot, may be signed. */
  | { readonly kind: 'stuck' }
  | {
      readonly kind: 'mined';
      readonly hash: string;
      /** Blocks on top of it, its own included. */
      readonly confirmations: number;
      /** `transferred` only when destination, asset and amount are those that were asked for. */
      readonly outcome: 'transferred' | 'reverted' | 'mismatched';
    }
  | { readonly kind: 'unknown' };

export type Chain = {
  readonly name: string;
  readonly network: Network;
  /** Our own address: what we send from, and never to. */
  readonly sender: string;
  /** Confirmations at which a transfer counts as done, and at which nobody looks any more. */
  readonly depth: number;
  readonly finality: number;
  /** The first nonce that the sender has not used, for a sender that we have no slot of; undefined when nobody answered. */
  nextNonce(): Promise<bigint | undefined>;
  /** Signs attempt `number` of a transfer; a later one outbids those before it. Nothing is sent. */
  sign(transfer: Transfer, number: number): Promise<Omit<Attempt, 'number'>>;
  /** Sends signed bytes. Sending them again is sending them once. Never throws for what a node or a network can do. */
  broadcast(attempt: Attempt): Promise<'sent' | 'unknown'>;
  look(transfer: Transfer, attempts: readonly Attempt[]): Promise<Sighting>;
  /** When to look again, after a sighting. Pure. */
  lookAfter(sighting: Sighting, now: Date): Date;
};

/** The chain that serves each network; a network without one takes no orders. */
export type Chains = { readonly [N in Network]?: Chain };

/** Every address that we send from. */
export function sendersOf(chains: Chains): string[] {
  return Object.values(chains).map(({ sender }) => sender);
}
