// The chains of a sandbox: one behind the interface for every network. They mine by the clock, remember beyond the process,
// and fail, stall, fall silent and reorganise on demand.
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { addressOf } from './address.ts';
import { NETWORKS, type Network } from './asset.ts';
import type { Chain, Chains, Sighting, Slot, Transfer } from './chain.ts';
import { NETWORK_FACTS, type NetworkFacts } from './networks.ts';
import { decoded, type Signed, signed } from './sandbox-bytes.ts';
import { afterBlocks, heightAt, type Sky } from './sandbox-sky.ts';

/** A transaction as the chain holds it: mined once its block is reached. */
export type Held = Signed & { readonly block: number; readonly reverts: boolean; readonly sentAt: Date };

/** Where a transaction goes that arrives now, on a chain of this height. */
export type Arrival = Pick<Held, 'block' | 'reverts' | 'sentAt'> & { readonly height: number };

/** What the chains remember. It is read and written outside any transaction of the caller: it stands for the network. */
export type ChainMemory = {
  readSky(network: Network): Promise<Sky>;
  /** The sky and what the slot holds, as they are at one moment. */
  readSlot(slot: Slot): Promise<{ readonly sky: Sky; readonly held?: Held }>;
  readHash(network: Network, hash: string): Promise<{ readonly sky: Sky; readonly held?: Held }>;
  /** The highest nonce that a sender has a transaction of, mined or not. */
  readLastNonce(network: Network, sender: string): Promise<{ readonly sky: Sky; readonly nonce?: bigint }>;
  /**
   * Puts a transaction into its slot, unless one is mined there or one waits there that bids as much. The sky does not
   * change meanwhile; it is returned.
   */
  keep(sent: Signed, arrive: (sky: Sky) => Arrival): Promise<Sky>;
  /** Changes the sky and forgets the transactions of some blocks, both ends included; returns how many. */
  change(network: Network, decide: (sky: Sky) => Change): Promise<number>;
};

export type Change = { readonly sky: Sky; readonly forget?: { readonly first: number; readonly last: number } };

type Needs = { readonly clock: Clock; readonly memory: ChainMemory };

/** Twenty bytes of a hash: an address like any other, but nobody has its key. */
const SENDER_BODY = keccak_256(Buffer.from('the sender of the sandbox chains')).subarray(12);
/** What waits so long will not be mined as it is: more may be bid. */
const STUCK_AFTER_MS = 10 * 60 * 1_000;
const LOOK_AGAIN_MS = 10_000;

/** A chain for every network, all on one memory. */
export function sandboxChains(needs: Needs): Required<Chains> {
  return Object.fromEntries(NETWORKS.map(network => [network, sandboxChain(needs, network)])) as Required<Chains>;
}

export function sandboxSender(network: Network): string {
  return addressOf(NETWORK_FACTS[network].kind, SENDER_BODY);
}

function sandboxChain({ clock, memory }: Needs, network: Network): Chain {
  const { confirmations: depth }: NetworkFacts = NETWORK_FACTS[network];
  const finality = 2 * depth;
  const sender = sandboxSender(network);

  async function look(transfer: Transfer, hashes: readonly string[]): Promise<Sighting> {
    await clock.refresh();
    const { sky, held } = await memory.readSlot(transfer.slot);
    if (sky.weather === 'silent') return { kind: 'unknown' };
    if (!held) return { kind: 'absent' };
    const now = clock.now();
    const confirmations = confirmationsOf(held, heightAt(network, sky, now));
    // Whatever was mined in the slot, none but it ever will be.
    if (confirmations > 0) return { kind: 'mined', hash: held.hash, confirmations, outcome: outcomeOf(held, transfer) };
    if (!hashes.includes(held.hash)) return { kind: 'absent' };
    return { kind: now.getTime() - held.sentAt.getTime() < STUCK_AFTER_MS ? 'pending' : 'stuck' };
  }

  async function broadcast(raw: string): Promise<'sent' | 'unknown'> {
    const sent = decoded(network, sender, raw);
    if (!sent) return 'unknown';
    await clock.refresh();
    const { weather } = await memory.keep(sent, sky => {
      const sentAt = clock.now();
      const height = heightAt(network, sky, sentAt);
      return { height, block: height + 1, reverts: sky.weather === 'failing', sentAt };
    });
    return weather === 'silent' ? 'unknown' : 'sent';
  }

  return {
    name: 'sandbox',
    network,
    sender,
    depth,
    finality,

    nextNonce: () =>
      unlessUnreachable(undefined, async () => {
        const { sky, nonce = -1n } = await memory.readLastNonce(network, sender);
        return sky.weather === 'silent' ? undefined : nonce + 1n;
      }),

    sign: async (transfer, number) => {
      if (transfer.slot.network !== network || transfer.slot.sender !== sender) {
        throw new RangeError(`the slot is not one of this sender on ${network}`);
      }
      return signed(transfer, number);
    },

    broadcast: ({ raw }) => unlessUnreachable('unknown', () => broadcast(raw)),

    look: (transfer, attempts) =>
      unlessUnreachable({ kind: 'unknown' }, () =>
        look(
          transfer,
          attempts.map(({ hash }) => hash),
        ),
      ),

    lookAfter: (sighting, now) => {
      if (sighting.kind === 'pending') return afterBlocks(network, 1, now);
      if (sighting.kind !== 'mined') return new Date(now.getTime() + LOOK_AGAIN_MS);
      const { confirmations } = sighting;
      const wanted = confirmations < depth ? depth : finality;
      return afterBlocks(network, Math.max(wanted - confirmations, 1), now);
    },
  };
}

/** Blocks on top of a transaction, its own included; none while it waits. */
export function confirmationsOf({ block }: Held, height: number): number {
  return Math.max(height - block + 1, 0);
}

function outcomeOf(held: Held, { to, symbol, units }: Transfer): 'transferred' | 'reverted' | 'mismatched' {
  if (held.reverts) return 'reverted';
  return held.to === to && held.symbol === symbol && held.units === units ? 'transferred' : 'mismatched';
}

/** A memory that cannot be reached is a network that does not answer. */
async function unlessUnreachable<T>(otherwise: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AppError && error.code === 'unavailable') return otherwise;
    throw error;
  }
}
