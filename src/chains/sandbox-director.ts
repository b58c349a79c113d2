// Whoever directs the chains of a sandbox: reads them as they are, turns the weather, and undoes blocks.
import type { Clock } from '../lib/clock.ts';
import { NETWORKS, type Network } from './asset.ts';
import { type ChainMemory, confirmationsOf, type Held } from './sandbox.ts';
import { heightAt, type Sky, turned, type Weather } from './sandbox-sky.ts';

type Needs = { readonly clock: Clock; readonly memory: ChainMemory };

export type ChainState = {
  readonly network: Network;
  readonly weather: Weather;
  readonly height: number;
  /** How many transactions a reorganisation has undone. */
  readonly dropped?: number;
};

export type Order = { readonly weather?: Weather; readonly reorganise?: number };

export async function readChains(needs: Needs): Promise<ChainState[]> {
  return Promise.all(NETWORKS.map(network => readChain(needs, network)));
}

async function readChain({ clock, memory }: Needs, network: Network): Promise<ChainState> {
  await clock.refresh();
  return stateOf(network, await memory.readSky(network), clock.now());
}

/**
 * Turns the weather, and reorganises the last blocks: what was mined in them is forgotten, and is not in the pool either,
 * until somebody sends the same bytes again.
 */
export async function directChain(needs: Needs, network: Network, order: Order): Promise<ChainState> {
  const { clock, memory } = needs;
  await clock.refresh();
  let state: ChainState | undefined;
  const dropped = await memory.change(network, before => {
    const now = clock.now();
    const sky = order.weather === undefined ? before : turned(network, before, order.weather, now);
    state = stateOf(network, sky, now);
    const { height: last } = state;
    return { sky, ...(order.reorganise !== undefined && { forget: { first: last - order.reorganise + 1, last } }) };
  });
  return { ...state!, ...(order.reorganise !== undefined && { dropped }) };
}

/** A transaction as the chain shows it, and how many blocks lie on top of it. */
export async function readTransaction(
  { clock, memory }: Needs,
  network: Network,
  hash: string,
): Promise<{ held: Held; confirmations: number } | undefined> {
  await clock.refresh();
  const { sky, held } = await memory.readHash(network, hash);
  return held && { held, confirmations: confirmationsOf(held, heightAt(network, sky, clock.now())) };
}

function stateOf(network: Network, sky: Sky, now: Date): ChainState {
  return { network, weather: sky.weather, height: heightAt(network, sky, now) };
}
