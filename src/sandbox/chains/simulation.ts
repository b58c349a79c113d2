// The blocks of a sandbox chain: they follow the clock, unless a fault stops them. Pure.
import { sha256 } from '@noble/hashes/sha2.js';
import type { Network } from '../../chains/asset.ts';
import type { Block } from '../../chains/chain.ts';
import { hashForm, NETWORK_FACTS } from '../../chains/networks.ts';

/**
 * `stalled`: no block is produced. `reverting`: a transaction that is sent now will be mined and reverted. `keeps_part`: the
 * payee of one gets less than was sent. `foreign_use`: its slot is used up by another transaction of the same key. `refusing`: checks and
 * signatures are refused. `lagging`: the node does not show what was mined. `empty`: the sender has nothing. `rpc_timeout`:
 * every call arrives and every reply is lost.
 */
export const CHAIN_FAULTS = [
  'none',
  'stalled',
  'reverting',
  'keeps_part',
  'foreign_use',
  'refusing',
  'lagging',
  'empty',
  'rpc_timeout',
] as const;
export type ChainFault = (typeof CHAIN_FAULTS)[number];

/** The blocks that one reorganisation replaced, both ends included. */
export type Fork = { readonly first: number; readonly last: number };

export type ChainSimulation = {
  readonly fault: ChainFault;
  /** Blocks that were missed during stalls. */
  readonly behind: number;
  /** The height of a stalled chain. */
  readonly standsAt?: number;
  readonly forks: readonly Fork[];
};

const FIRST_BLOCK_MS = Date.UTC(2020, 0, 1);
/** How many of the latest reorganisations are remembered. */
const MAX_FORKS = 100;

/** The height of the newest block at a time. */
export function heightAt(network: Network, simulation: ChainSimulation, now: Date): number {
  return simulation.standsAt ?? blocksUntil(network, now) - simulation.behind;
}

/** When `blocks` further blocks are produced, if no fault stops them. Exact, because a stall lasts whole blocks. */
export function afterBlocks(network: Network, blocks: number, now: Date): Date {
  return new Date(FIRST_BLOCK_MS + (blocksUntil(network, now) + blocks) * NETWORK_FACTS[network].blockMs);
}

/** The block at a height. Its hash changes with each reorganisation that replaces it. */
export function blockAt(network: Network, { forks }: ChainSimulation, number: number): Block {
  const replaced = forks.filter(({ first, last }) => first <= number && number <= last).length;
  const hash = Buffer.from(sha256(Buffer.from(`${network} ${number} ${replaced}`))).toString('hex');
  return { number, hash: hashForm(network).fromDigits(hash) };
}

export function withFork(simulation: ChainSimulation, fork: Fork): ChainSimulation {
  return { ...simulation, forks: [...simulation.forks, fork].slice(-MAX_FORKS) };
}

/** The simulation with another fault; the chain continues from its current height. */
export function withFault(
  network: Network,
  simulation: ChainSimulation,
  fault: ChainFault,
  now: Date,
): ChainSimulation {
  const height = heightAt(network, simulation, now);
  const { forks, behind } = simulation;
  if (fault === 'stalled') return { fault, behind, standsAt: height, forks };
  // The clocks of two nodes may differ a little; a chain is never ahead of the clock.
  return { fault, behind: Math.max(blocksUntil(network, now) - height, 0), forks };
}

function blocksUntil(network: Network, now: Date): number {
  return Math.floor((now.getTime() - FIRST_BLOCK_MS) / NETWORK_FACTS[network].blockMs);
}
