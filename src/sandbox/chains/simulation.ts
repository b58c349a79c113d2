// The block height of a sandbox chain: blocks follow the clock, unless a fault stops them. Pure.
import type { Network } from '../../chains/asset.ts';
import { NETWORK_FACTS } from '../../chains/networks.ts';

/**
 * `stalled`: no block is produced. `reverting`: a transaction that is sent now will be mined and reverted. `rpc_timeout`:
 * every call arrives and every reply is lost.
 */
export const CHAIN_FAULTS = ['none', 'stalled', 'reverting', 'rpc_timeout'] as const;
export type ChainFault = (typeof CHAIN_FAULTS)[number];

export type ChainSimulation = {
  readonly fault: ChainFault;
  /** Blocks that were missed during stalls. */
  readonly behind: number;
  /** The height of a stalled chain. */
  readonly standsAt?: number;
};

const FIRST_BLOCK_MS = Date.UTC(2020, 0, 1);

/** The height of the newest block at a time. */
export function heightAt(network: Network, simulation: ChainSimulation, now: Date): number {
  return simulation.standsAt ?? blocksUntil(network, now) - simulation.behind;
}

/** When `blocks` further blocks are produced, if no fault stops them. Exact, because a stall lasts whole blocks. */
export function afterBlocks(network: Network, blocks: number, now: Date): Date {
  return new Date(FIRST_BLOCK_MS + (blocksUntil(network, now) + blocks) * NETWORK_FACTS[network].blockMs);
}

/** The simulation with another fault; the chain continues from its current height. */
export function withFault(
  network: Network,
  simulation: ChainSimulation,
  fault: ChainFault,
  now: Date,
): ChainSimulation {
  const height = heightAt(network, simulation, now);
  if (fault === 'stalled') return { fault, behind: simulation.behind, standsAt: height };
  // The clocks of two nodes may differ a little; a chain is never ahead of the clock.
  return { fault, behind: Math.max(blocksUntil(network, now) - height, 0) };
}

function blocksUntil(network: Network, now: Date): number {
  return Math.floor((now.getTime() - FIRST_BLOCK_MS) / NETWORK_FACTS[network].blockMs);
}
