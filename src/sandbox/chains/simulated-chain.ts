// The simulated chains of a sandbox, one for every network. They mine by the clock, keep their state in the database, and
// can be made to fail in the ways that `CHAIN_FAULTS` lists, and to reorganise.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../../chains/address.ts';
import { NETWORKS, type Network } from '../../chains/asset.ts';
import type { Attempt, Block, Chain, Chains, Funds, Sighting, Slot, Transfer } from '../../chains/chain.ts';
import type { NetworkFacts } from '../../chains/family.ts';
import { familyOf, NETWORK_FACTS, ofToken } from '../../chains/networks.ts';
import { divideUp } from '../../lib/decimals.ts';
import { isOutage } from '../../lib/errors.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { bidOf, decoded, hashOf, MAX_ATTEMPTS, rawOf, type SignedTransaction, signed } from './signed-bytes.ts';
import { afterBlocks, blockAt, type ChainFault, type ChainSimulation, type Fork, heightAt } from './simulation.ts';

/** A transaction of the chain: mined once the chain reaches its block. */
export type ChainTransaction = SignedTransaction & {
  readonly block: number;
  readonly reverts: boolean;
  /** Smallest units that the token kept of those that were sent. */
  readonly keptUnits: bigint;
  readonly sentAt: Date;
};

/** A transaction as it arrives now, and the current height of the chain. */
type Arrival = ChainTransaction & { readonly height: number };

/**
 * The state of the chains. It is read and written outside the caller's transaction, because it stands for a real
 * network.
 */
export type ChainStore = {
  readSimulation(network: Network): Promise<ChainSimulation>;
  /** The simulation and the transaction of the slot, from one snapshot. */
  readSlot(slot: Slot): Promise<{ readonly simulation: ChainSimulation; readonly held?: ChainTransaction }>;
  readHash(
    network: Network,
    hash: string,
  ): Promise<{ readonly simulation: ChainSimulation; readonly held?: ChainTransaction }>;
  /** The highest nonce of a sender's transactions, mined or not. */
  readLastNonce(
    network: Network,
    sender: string,
  ): Promise<{ readonly simulation: ChainSimulation; readonly nonce?: bigint }>;
  /**
   * Puts a transaction into its slot, unless the slot has a mined transaction or a pending one with the same or a higher
   * bid. Locks the simulation against changes, and returns it.
   */
  keep(network: Network, arrive: (simulation: ChainSimulation) => Arrival): Promise<ChainSimulation>;
  /** Changes the simulation and deletes the transactions of replaced blocks; returns their number. */
  change(network: Network, decide: (simulation: ChainSimulation) => Change): Promise<number>;
};

type Change = { readonly simulation: ChainSimulation; readonly replaced?: Fork };

type Deps = {
  readonly clock: Pick<SandboxClock, 'now' | 'refresh'>;
  readonly store: ChainStore;
  /** The addresses that the chains send from; absent: an address without a known key. */
  readonly sendersOf?: (network: Network) => Chain['senders'];
};

/** Twenty bytes of a hash: a valid address whose private key is unknown. */
const SENDER_BODY = keccak_256(Buffer.from('the sender of the sandbox chains')).subarray(12);
/** A transaction pending this long counts as stuck: a higher bid may replace it. */
const STUCK_AFTER_MS = 10 * 60 * 1_000;
const LOOKUP_AFTER_MS = 10_000;
/** The simulated networks treat a block as final at this multiple of the depth at which a transfer is done. */
const FINAL_DEPTHS = 2;
/** The number that geth and bor always keep of one account. */
const WINDOW = 16;
const MAX_BIDS = 5;
/** The addresses at which the simulated networks have code. */
const CONTRACT = /c0de$/i;
/** A token that keeps a part keeps one unit in a hundred. */
const KEPT_SHARE = 100n;
const RICH = 10n ** 40n;
const FEE_STEPS = 97;

/** A chain for every network, all on one store. */
export function sandboxChains(deps: Deps): Required<Chains> {
  return Object.fromEntries(NETWORKS.map(network => [network, sandboxChain(deps, network)])) as Required<Chains>;
}

export function sandboxSender(network: Network): string {
  return addressOf(familyOf(network).kind, SENDER_BODY);
}

function sandboxChain({ clock, store, sendersOf }: Deps, network: Network): Chain {
  const { confirmations: depth, blockMs, tokens }: NetworkFacts = NETWORK_FACTS[network];
  const finality = FINAL_DEPTHS * depth;
  const senders: Chain['senders'] = sendersOf?.(network) ?? [sandboxSender(network)];

  /** Runs a call; returns `silence` when replies are lost, or when the database cannot be reached. */
  async function asked<T>(silence: T, answer: (fault: ChainFault) => T): Promise<T> {
    return unlessUnreachable(silence, async () => {
      const { fault } = await store.readSimulation(network);
      return fault === 'rpc_timeout' ? silence : answer(fault);
    });
  }

  async function lookup(transfer: Transfer, attempts: readonly Attempt[], seen?: Block): Promise<Sighting> {
    await clock.refresh();
    const { simulation, held } = await store.readSlot(transfer.slot);
    if (simulation.fault === 'rpc_timeout') return { kind: 'unknown' };
    const now = clock.now();
    const height = heightAt(network, simulation, now);
    const isOurs = held !== undefined && attempts.some(({ hash }) => hash === held.hash);
    const confirmations = held && simulation.fault !== 'lagging' ? confirmationsOf(held, height) : 0;
    if (held && confirmations > 0) {
      const isFinal = confirmations >= finality;
      if (!isOurs) {
        return isFinal ? { kind: 'taken' } : { kind: 'unknown', message: 'Another transaction was mined in the slot.' };
      }
      const block = blockAt(network, simulation, held.block);
      return { kind: 'mined', hash: held.hash, block, confirmations, isFinal, ...effectOf(held, transfer) };
    }
    if (seen && blockAt(network, simulation, seen.number).hash === seen.hash) {
      return { kind: 'unknown', message: 'The node does not show a transaction although its block was not undone.' };
    }
    if (!held || !isOurs || simulation.fault === 'lagging') return { kind: 'absent' };
    return { kind: now.getTime() - held.sentAt.getTime() < STUCK_AFTER_MS ? 'pending' : 'stuck' };
  }

  async function broadcast(raw: string): Promise<{ isSent: boolean; message?: string }> {
    const sent = decoded(network, senders, raw);
    if (!sent) return { isSent: false, message: 'The bytes are not signed by a sender of this network.' };
    await clock.refresh();
    const { fault } = await store.keep(network, simulation => {
      const sentAt = clock.now();
      const height = heightAt(network, simulation, sentAt);
      return { ...arrivalOf(sent, simulation.fault), height, block: height + 1, sentAt };
    });
    return { isSent: fault !== 'rpc_timeout' };
  }

  return {
    name: 'sandbox',
    network,
    senders,
    depth,
    window: WINDOW,
    maxAttempts: MAX_BIDS,

    placeOf: symbol => {
      const token = ofToken(tokens, symbol)?.address;
      return { isTest: true, ...(token !== undefined && { token }) };
    },

    nextNonce: sender =>
      unlessUnreachable(undefined, async () => {
        const { simulation, nonce = -1n } = await store.readLastNonce(network, sender);
        return simulation.fault === 'rpc_timeout' ? undefined : nonce + 1n;
      }),

    isContract: address => asked<boolean | undefined>(undefined, () => CONTRACT.test(address)),

    check: () =>
      asked<Awaited<ReturnType<Chain['check']>>>({ kind: 'unknown' }, fault =>
        fault === 'refusing' ? { kind: 'refused', reason: 'would_revert', message: REFUSAL } : { kind: 'ready' },
      ),

    funds: () =>
      asked<Funds | undefined>(undefined, fault => {
        const all = fault === 'empty' ? 0n : RICH;
        return { asset: all, coin: all, worstFee: bidOf(MAX_ATTEMPTS) };
      }),

    sign: ({ slot, ...moves }, before) =>
      asked<Awaited<ReturnType<Chain['sign']>>>({ kind: 'unknown' }, fault =>
        fault === 'refusing' ? { kind: 'refused', message: REFUSAL } : signedHere(slot, moves, before),
      ),

    signVoid: (slot, before) =>
      asked<Awaited<ReturnType<Chain['sign']>>>({ kind: 'unknown' }, () => signedHere(slot, undefined, before)),

    broadcast: ({ raw }) => unlessUnreachable({ isSent: false }, () => broadcast(raw)),

    lookup: (...question) => unlessUnreachable<Sighting>({ kind: 'unknown' }, () => lookup(...question)),

    readTransfer: hash =>
      unlessUnreachable(undefined, async () => {
        await clock.refresh();
        const { simulation, held } = await store.readHash(network, hash);
        if (simulation.fault === 'rpc_timeout') return undefined;
        const raw = held && rawOf(held);
        if (!held?.moves || raw === undefined || held.block > heightAt(network, simulation, clock.now()))
          return 'absent';
        const { slot, moves, sentAt } = held;
        return { ...moves, sender: slot.sender, nonce: slot.nonce, hash, raw, sentAt };
      }),

    nextLookupAt: (sighting, now) => {
      if (sighting.kind === 'pending') return afterBlocks(network, 1, now);
      if (sighting.kind !== 'mined') return new Date(now.getTime() + LOOKUP_AFTER_MS);
      const { confirmations } = sighting;
      const wanted = confirmations < depth ? depth : finality;
      return afterBlocks(network, Math.max(wanted - confirmations, 1), now);
    },

    health: () =>
      unlessUnreachable({ providers: [{ name: 'sandbox', isAnswering: false }] }, async () => {
        const simulation = await store.readSimulation(network);
        if (simulation.fault === 'rpc_timeout') return { providers: [{ name: 'sandbox', isAnswering: false }] };
        const head = BigInt(heightAt(network, simulation, clock.now()));
        return { head, finalityLagMs: finality * blockMs, providers: [{ name: 'sandbox', isAnswering: true }] };
      }),
  };

  function signedHere(slot: Slot, moves: SignedTransaction['moves'], { length }: readonly Attempt[]) {
    if (slot.network === network && senders.includes(slot.sender)) return signed(slot, moves, length + 1);
    return { kind: 'refused', message: `The slot is not one of a sender of ${network}.` } as const;
  }
}

const REFUSAL = 'The node says that the transfer would revert.';

/** The number of blocks from its own to the head; zero while it is pending. */
export function confirmationsOf({ block }: ChainTransaction, height: number): number {
  return Math.max(height - block + 1, 0);
}

/** What happens to a transaction that is sent while a fault is injected. */
function arrivalOf(sent: SignedTransaction, fault: ChainFault): Omit<ChainTransaction, 'block' | 'sentAt'> {
  const { slot, hash, moves, bid } = sent;
  if (fault === 'foreign_use') {
    return { slot, bid, hash: hashOf(slot.network, `00${hash.replace('0x', '')}`), reverts: false, keptUnits: 0n };
  }
  const keptUnits = fault === 'keeps_part' && moves ? divideUp(moves.units, KEPT_SHARE) : 0n;
  return { ...sent, reverts: fault === 'reverting' && moves !== undefined, keptUnits };
}

type ChainOutcome = Extract<Sighting, { kind: 'mined' }>['outcome'];

export function outcomeOf({ moves, reverts, keptUnits }: ChainTransaction): ChainOutcome {
  if (!moves) return 'voided';
  if (reverts) return 'reverted';
  return keptUnits > 0n ? 'mismatched' : 'transferred';
}

/** What a mined transaction did besides the requested transfer. */
function effectOf(held: ChainTransaction, { to, symbol, units }: Transfer) {
  const { moves, bid } = held;
  const outcome = outcomeOf(held);
  const isAsked = moves?.to === to && moves.symbol === symbol && moves.units === units;
  const hasLeft = outcome === 'transferred' || outcome === 'mismatched';
  return {
    outcome: outcome === 'transferred' && !isAsked ? ('mismatched' as const) : outcome,
    leftUnits: hasLeft && moves ? moves.units : 0n,
    // Less than the bid, by a different amount in each block, as with a base fee.
    feeUnits: bid - BigInt(held.block % FEE_STEPS),
  };
}

/** A database that cannot be reached acts as a network that does not answer. */
async function unlessUnreachable<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isOutage(error)) return otherwise;
    throw error;
  }
}
