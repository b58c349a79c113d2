// The interface of a chain that sends crypto. One payout owns one slot (network, sender, nonce) for ever; all its
// attempts use that slot, so the chain executes at most one of them. Signed bytes and hash are saved before they are
// sent. The answer of a broadcast proves nothing: only a lookup does. No call throws for what a node or a network does:
// silence is an answer (`unknown`, or undefined), and what nodes say is kept as text for an operator, never as evidence.
import type { OwnAddresses } from './address.ts';
import { type AssetSymbol, type Network, symbolsOn } from './asset.ts';
import type { SentSymbol } from './networks.ts';

/** The place of one payout among all transfers of a sender. On a chain without nonces the service keeps the count. */
export type Slot = { readonly network: Network; readonly sender: string; readonly nonce: bigint };

/** What is to be sent, before it has a slot. */
export type Intent = {
  readonly sender: string;
  readonly symbol: SentSymbol;
  /** Smallest units of the asset. */
  readonly units: bigint;
  readonly to: string;
};

export type Transfer = Omit<Intent, 'sender'> & { readonly slot: Slot };

/** An attempt at using a slot: signed once, stored for ever, sent as often as needed. Numbered from 1. */
export type Attempt = {
  readonly number: number;
  /** `void`: moves nothing and uses the slot up, so that the transfer can never be executed. */
  readonly kind: 'transfer' | 'void';
  readonly hash: string;
  /** The signed bytes, as hexadecimal text. */
  readonly raw: string;
  readonly signedAt: Date;
};

/** What a signer returned, checked; or why nothing was signed, for an operator. */
export type Signed =
  | { readonly kind: 'signed'; readonly hash: string; readonly raw: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** A node or the signer did not answer. */
  | { readonly kind: 'unknown'; readonly message?: string };

/** A block as it was seen: another hash at the same height proves that it is no longer part of the chain. */
export type Block = { readonly number: number; readonly hash: string };

/** The result of a lookup, for the attempt that the chain has taken. */
export type Sighting =
  /** No node knows any attempt: the newest one may be sent again with the same bytes. */
  | { readonly kind: 'absent' }
  /** An attempt waits to be mined. */
  | { readonly kind: 'pending' }
  /** The attempts will not be mined as they are: a new one may be signed for the same slot. */
  | { readonly kind: 'stuck' }
  /** The slot was used up by bytes that the service did not sign: the key is used elsewhere. */
  | { readonly kind: 'taken' }
  | {
      readonly kind: 'mined';
      readonly hash: string;
      readonly block: Block;
      /** The number of blocks from its own block to the head, both included. */
      readonly confirmations: number;
      /** Whether the network itself calls the block final. */
      readonly isFinal: boolean;
      /**
       * `transferred` only if destination, asset and amount that arrived are those of the transfer; `mismatched` if crypto
       * moved in another way; `reverted` if no crypto moved; `voided` if the attempt was a void.
       */
      readonly outcome: 'transferred' | 'mismatched' | 'reverted' | 'voided';
      /** Smallest units of the asset that left the sender. */
      readonly leftUnits: bigint;
      /** The fee that the network took, in smallest units of its coin. */
      readonly feeUnits: bigint;
    }
  /**
   * No node answered; or some did (`isAnswered`), and disagree where they must agree. `isUsed`: enough of them count the slot as used
   * and show no receipt of an attempt, which nodes also do that have not indexed their newest block.
   */
  | { readonly kind: 'unknown'; readonly message?: string; readonly isAnswered?: true; readonly isUsed?: true };

/** Whether a transfer could be executed now; asked before a slot is taken. */
export type Check =
  | { readonly kind: 'ready' }
  /** Executed now it would fail, or pay another amount. */
  | { readonly kind: 'refused'; readonly reason: CheckReason; readonly message: string }
  /** `message`: what the nodes answered, when it says nothing about the transfer. */
  | { readonly kind: 'unknown'; readonly message?: string };
/**
 * `blocked`: the issuer of the token blocks payee or sender. `pays_less`: the token keeps a part of each transfer. `no_funds`:
 * the sender has too little. `would_revert`: the node says that it fails for another reason, or that it needs too much gas.
 */
export type CheckReason = 'blocked' | 'pays_less' | 'no_funds' | 'would_revert' | 'fee_too_high';

/** A transfer that is in a block, as its bytes say, which its hash proves. */
export type SentTransfer = Intent & {
  readonly hash: string;
  readonly raw: string;
  /** Absent on a chain without nonces. */
  readonly nonce?: bigint;
  /** The time of its block. */
  readonly sentAt: Date;
};

/** Where a transfer of an asset is made. */
export type Place = {
  /** The id of the chain, where it has one. */
  readonly chainId?: number;
  /** The contract of the asset; absent for the coin. */
  readonly token?: string;
  /** Whether a test node, or a simulation, stands for the network. */
  readonly isTest: boolean;
};

/** What a sender has, in smallest units, at the head of the chain. */
export type Funds = {
  readonly asset: bigint;
  /** Of the network's coin, which pays the fees. For the coin itself both are the same money. */
  readonly coin: bigint;
  /** The most that one transfer may cost at the fees of now, in the coin. */
  readonly worstFee: bigint;
};

/** The balance of a sender after a block that counts as final, in smallest units. */
export type Balance = { readonly units: bigint; readonly block: number };

/** What left a sender and what it received, as the chain itself records it. */
export type ChainRecord = {
  /** All slots below this one are used. */
  readonly usedSlots: bigint;
  /** All slots below this one are used, or have a transaction waiting in the pool of a node; absent where nodes show no pool. */
  readonly takenSlots?: bigint;
  /** Transfers of tokens; addresses in lower case. */
  readonly transfers: readonly {
    readonly hash: string;
    readonly symbol: AssetSymbol;
    readonly from: string;
    readonly to: string;
    readonly units: bigint;
  }[];
};

/** What left a sender since a moment, on a chain whose nodes keep no list of it. */
export type ChainHistory = {
  readonly transfers: readonly Pick<ChainRecord['transfers'][number], 'hash' | 'symbol' | 'to' | 'units'>[];
  /** Everything signed before this time is in the list, or will never be in a block. */
  readonly completeUntil: Date;
};

/** How many transactions of a sender a provider counts. */
export type SlotCount = {
  readonly provider: string;
  /** The height of its newest block. */
  readonly head: bigint;
  /** All slots below are used in blocks; the second also counts what waits in its pool. */
  readonly mined: bigint;
  readonly pooled: bigint;
};

/** The counts of the providers that answer, and how many must agree on what cannot be taken back. */
export type SlotCounts = { readonly quorum: number; readonly said: readonly SlotCount[] };

/** A transfer out of a sender. */
export type OwnTransfer = ChainHistory['transfers'][number];

/** How the nodes of a network answer, for `trilho chains` and alarms. */
export type ChainHealth = {
  readonly head?: bigint;
  /** How far the final block is behind the head; undefined when unknown. */
  readonly finalityLagMs?: number;
  /** What contradicts the settings, on nodes that did not answer at the start: nothing is signed. */
  readonly fault?: string;
  readonly providers: readonly { readonly name: string; readonly isAnswering: boolean; readonly words?: string }[];
};

export type Chain = {
  readonly name: string;
  readonly network: Network;
  /** The addresses that the service sends from: those that take new slots, and former ones, watched until their transfers are final. */
  readonly senders: readonly [string, ...string[]];
  /** Those of `senders` that take new slots, each with its own nonces. Absent: the first alone. */
  readonly activeSenders?: readonly [string, ...string[]];
  /** Whether the settings name a signer of one of `senders`: of a former one they may name the address alone. Absent: of all. */
  readonly canSign?: (sender: string) => boolean;
  /** Confirmations at which a transfer is done. */
  readonly depth: number;
  /** Slots of one sender that may be open at once. */
  readonly window: number;
  /** The most attempts at one slot; after them the newest is sent again and an operator is asked. */
  readonly maxAttempts: number;
  /** Where transfers of an asset are made. Pure. */
  placeOf(symbol: SentSymbol): Place;
  /**
   * The first unused nonce of a sender; undefined when no node answered, or while a transaction of the sender waits in a pool.
   * Needed once, before its first slot.
   */
  nextNonce(sender: string): Promise<bigint | undefined>;
  /**
   * All slots of a sender below this one are used in final blocks, as enough nodes agree; undefined when too few answer. Absent on a
   * chain without nonces.
   */
  readonly usedSlots?: (sender: string) => Promise<bigint | undefined>;
  /** How many slots of a sender each provider counts as used, at most some seconds ago. Absent on a chain without nonces. */
  readonly slotCounts?: (sender: string) => Promise<SlotCounts>;
  /**
   * Whether there is code at an address; undefined when no node answered. An account that has delegated itself to code
   * (EIP-7702) still has its key, and does not count as a contract.
   */
  isContract(address: string): Promise<boolean | undefined>;
  check(intent: Intent): Promise<Check>;
  funds(sender: string, symbol: SentSymbol): Promise<Funds | undefined>;
  /**
   * The balances of a sender, to compare with the books. Undefined when no node answers, or when the network does not have the asset.
   * Absent on a chain that keeps no balances.
   */
  readonly balance?: (sender: string, asset: AssetSymbol | 'coin') => Promise<Balance | undefined>;
  /** Signs the next attempt at a transfer; it outbids all attempts before it. Nothing is sent. */
  sign(transfer: Transfer, before: readonly Attempt[]): Promise<Signed>;
  /**
   * Signs an attempt that uses the slot up and moves nothing; it outbids all before it. Undefined on a chain where a slot
   * that is not used blocks no other: there a slot is void when all its attempts are `stuck`.
   */
  readonly signVoid?: (slot: Slot, before: readonly Attempt[]) => Promise<Signed>;
  /**
   * Sends signed bytes to every node. Idempotent. `sender`: who signed them, for `memory`. `message`: what the nodes said, if they refused.
   */
  broadcast(attempt: Attempt, sender?: string): Promise<{ readonly isSent: boolean; readonly message?: string }>;
  /**
   * Looks all attempts up. `seen` is the block in which a lookup has seen an attempt: from then on `absent`, `pending`,
   * `stuck` and `taken` are answered only on evidence against that block (another one at its height, or two nodes that
   * agree); without it the answer is `unknown`.
   */
  lookup(transfer: Transfer, attempts: readonly Attempt[], seen?: Block): Promise<Sighting>;
  /**
   * The transfer that a transaction makes, by any sender. `absent`: no block that a node shows has the transaction, or this
   * service could not have made it. Undefined when no node answers. Its outcome, and whether nodes agree, are for a lookup.
   */
  readTransfer(hash: string): Promise<SentTransfer | 'absent' | undefined>;
  /** When to look the transfer up again, after a sighting. Pure. */
  nextLookupAt(sighting: Sighting, now: Date): Date;
  /** The longest time between two lookups of an open payout, where its attempts expire soon. */
  readonly maxLookupWaitMs?: number;
  /**
   * What the chain records of a sender, to compare with the books: its transfers since a block or a time, and no transfers without either.
   * Undefined when no node answers. Absent on a chain whose nodes keep no such record.
   */
  readonly record?: (sender: string, from?: number | Date) => Promise<ChainRecord | undefined>;
  /**
   * The transfers out of a sender since a moment, in place of a record. It reads every block since then, so it is asked after a
   * restore alone. Undefined when no node shows one of them.
   */
  readonly history?: (sender: string, since: Date) => Promise<ChainHistory | undefined>;
  /**
   * The transfers that a sender made in the last minutes, from all blocks up to the newest; undefined while one of them cannot be
   * read. Absent on a chain whose slots show what left.
   */
  readonly ownTransfers?: (sender: string) => Promise<readonly OwnTransfer[] | undefined>;
  /** Whether enough nodes show a transaction in a block. Present with `ownTransfers`. */
  readonly isShown?: (hash: string) => Promise<boolean>;
  health(): Promise<ChainHealth>;
  /** What this process itself has sent and seen. Absent where the database of the service holds the chain as well. */
  readonly memory?: ChainMemory;
};

export type ChainMemory = {
  /** The newest hashes of the bytes handed to nodes in the last half hour for a sender, and of those whose sender is not known. */
  sent(sender: string): readonly string[];
  /** Whether a lookup has shown the transaction in a block. */
  wasMined(hash: string): boolean;
};

/** The chain of each network; orders on a network without one are refused. */
export type Chains = { readonly [N in Network]?: Chain };

/** The senders of a network that take new slots, in the order of the settings. */
export function activeSendersOf({ senders, activeSenders }: Chain): readonly [string, ...string[]] {
  return activeSenders ?? [senders[0]];
}

/** Every address that the service sends from, and every contract that it calls. */
export function ownAddressesOf(chains: Chains): OwnAddresses {
  const all = Object.values(chains);
  return {
    senders: all.flatMap(({ senders }) => senders),
    tokens: all.flatMap(chain => symbolsOn(chain.network).flatMap(symbol => chain.placeOf(symbol).token ?? [])),
  };
}
