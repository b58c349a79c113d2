// The simulated chains of a sandbox, one for every network. They mine by the clock, keep their state in the database, and
// can be told to revert, stall, time out and reorganise.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../../chains/address.ts';
import { NETWORKS, type Network } from '../../chains/asset.ts';
import type { Chain, Chains, Sighting, Slot, Transfer } from '../../chains/chain.ts';
import { NETWORK_FACTS, type NetworkFacts } from '../../chains/networks.ts';
import { isOutage } from '../../lib/errors.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { decoded, type Signed, signed } from './signed-bytes.ts';
import { afterBlocks, type ChainSimulation, heightAt } from './simulation.ts';

/** A transaction of the chain: mined once the chain reaches its block. */
export type ChainTransaction = Signed & { readonly block: number; readonly reverts: boolean; readonly sentAt: Date };

/** The block of a transaction that arrives now, and the current height of the chain. */
export type Arrival = Pick<ChainTransaction, 'block' | 'reverts' | 'sentAt'> & { readonly height: number };

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
  keep(sent: Signed, arrive: (simulation: ChainSimulation) => Arrival): Promise<ChainSimulation>;
  /** Changes the simulation and deletes the transactions of some blocks, both ends included; returns their number. */
  change(network: Network, decide: (simulation: ChainSimulation) => Change): Promise<number>;
};

export type Change = {
  readonly simulation: ChainSimulation;
  readonly forget?: { readonly first: number; readonly last: number };
};

type Deps = { readonly clock: Pick<SandboxClock, 'now' | 'refresh'>; readonly store: ChainStore };

/** Twenty bytes of a hash: a valid address whose private key is unknown. */
const SENDER_BODY = keccak_256(Buffer.from('the sender of the sandbox chains')).subarray(12);
/** A transaction pending this long counts as stuck: a higher bid may replace it. */
const STUCK_AFTER_MS = 10 * 60 * 1_000;
const LOOKUP_AFTER_MS = 10_000;
/** The addresses at which the simulated networks have code. */
const CONTRACT = /c0de$/i;

/** A chain for every network, all on one store. */
export function sandboxChains(deps: Deps): Required<Chains> {
  return Object.fromEntries(NETWORKS.map(network => [network, sandboxChain(deps, network)])) as Required<Chains>;
}

export function sandboxSender(network: Network): string {
  return addressOf(NETWORK_FACTS[network].kind, SENDER_BODY);
}

function sandboxChain({ clock, store }: Deps, network: Network): Chain {
  const { confirmations: depth }: NetworkFacts = NETWORK_FACTS[network];
  const finality = 2 * depth;
  const sender = sandboxSender(network);

  async function lookup(transfer: Transfer, hashes: readonly string[]): Promise<Sighting> {
    await clock.refresh();
    const { simulation, held } = await store.readSlot(transfer.slot);
    if (simulation.fault === 'rpc_timeout') return { kind: 'unknown' };
    if (!held) return { kind: 'absent' };
    const now = clock.now();
    const confirmations = confirmationsOf(held, heightAt(network, simulation, now));
    // The slot has a mined transaction, so no other one can be mined in it.
    if (confirmations > 0) return { kind: 'mined', hash: held.hash, confirmations, outcome: outcomeOf(held, transfer) };
    if (!hashes.includes(held.hash)) return { kind: 'absent' };
    return { kind: now.getTime() - held.sentAt.getTime() < STUCK_AFTER_MS ? 'pending' : 'stuck' };
  }

  async function broadcast(raw: string): Promise<'sent' | 'unknown'> {
    const sent = decoded(network, sender, raw);
    if (!sent) return 'unknown';
    await clock.refresh();
    const { fault } = await store.keep(sent, simulation => {
      const sentAt = clock.now();
      const height = heightAt(network, simulation, sentAt);
      return { height, block: height + 1, reverts: simulation.fault === 'reverting', sentAt };
    });
    return fault === 'rpc_timeout' ? 'unknown' : 'sent';
  }

  return {
    name: 'sandbox',
    network,
    sender,
    depth,
    finality,

    nextNonce: () =>
      unlessUnreachable(undefined, async () => {
        const { simulation, nonce = -1n } = await store.readLastNonce(network, sender);
        return simulation.fault === 'rpc_timeout' ? undefined : nonce + 1n;
      }),

    isContract: address =>
      unlessUnreachable(undefined, async () => {
        const { fault } = await store.readSimulation(network);
        return fault === 'rpc_timeout' ? undefined : CONTRACT.test(address);
      }),

    sign: async (transfer, number) => {
      if (transfer.slot.network !== network || transfer.slot.sender !== sender) {
        throw new RangeError(`the slot is not one of this sender on ${network}`);
      }
      return signed(transfer, number);
    },

    broadcast: ({ raw }) => unlessUnreachable('unknown', () => broadcast(raw)),

    lookup: (transfer, attempts) =>
      unlessUnreachable({ kind: 'unknown' }, () =>
        lookup(
          transfer,
          attempts.map(({ hash }) => hash),
        ),
      ),

    nextLookupAt: (sighting, now) => {
      if (sighting.kind === 'pending') return afterBlocks(network, 1, now);
      if (sighting.kind !== 'mined') return new Date(now.getTime() + LOOKUP_AFTER_MS);
      const { confirmations } = sighting;
      const wanted = confirmations < depth ? depth : finality;
      return afterBlocks(network, Math.max(wanted - confirmations, 1), now);
    },
  };
}

/** The number of blocks from its own to the head; zero while it is pending. */
export function confirmationsOf({ block }: ChainTransaction, height: number): number {
  return Math.max(height - block + 1, 0);
}

function outcomeOf(held: ChainTransaction, { to, symbol, units }: Transfer): 'transferred' | 'reverted' | 'mismatched' {
  if (held.reverts) return 'reverted';
  return held.to === to && held.symbol === symbol && held.units === units ? 'transferred' : 'mismatched';
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
