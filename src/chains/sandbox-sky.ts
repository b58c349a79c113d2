// How time passes on a chain of the sandbox: blocks come by the clock, unless the weather keeps them. Pure.
import type { Network } from './asset.ts';
import { NETWORK_FACTS } from './networks.ts';

/**
 * `stalled`: no block is made, time on the chain stands still. `failing`: what is sent now will be mined and revert.
 * `silent`: every call arrives and every reply is lost.
 */
export const WEATHERS = ['clear', 'stalled', 'failing', 'silent'] as const;
export type Weather = (typeof WEATHERS)[number];

export type Sky = {
  readonly weather: Weather;
  /** Blocks that the clock counted and nobody made. */
  readonly behind: number;
  /** The height at which a stalled chain stands. */
  readonly standsAt?: number;
};

const FIRST_BLOCK_MS = Date.UTC(2020, 0, 1);

/** The newest block at a moment. */
export function heightAt(network: Network, sky: Sky, now: Date): number {
  return sky.standsAt ?? blocksUntil(network, now) - sky.behind;
}

/** When so many further blocks will have been made, if no weather keeps them. Stalls last whole blocks, so it is exact. */
export function afterBlocks(network: Network, blocks: number, now: Date): Date {
  return new Date(FIRST_BLOCK_MS + (blocksUntil(network, now) + blocks) * NETWORK_FACTS[network].blockMs);
}

/** The sky under another weather; the chain goes on from the height where it is. */
export function turned(network: Network, sky: Sky, weather: Weather, now: Date): Sky {
  const height = heightAt(network, sky, now);
  if (weather === 'stalled') return { weather, behind: sky.behind, standsAt: height };
  // Two nodes may disagree about the moment by a little; a chain is never ahead of the clock.
  return { weather, behind: Math.max(blocksUntil(network, now) - height, 0) };
}

function blocksUntil(network: Network, now: Date): number {
  return Math.floor((now.getTime() - FIRST_BLOCK_MS) / NETWORK_FACTS[network].blockMs);
}
