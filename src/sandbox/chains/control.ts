// Controls the chains of a sandbox: reads their state, sets the fault, and reorganises blocks.

import { NETWORKS, type Network } from '../../chains/asset.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { type ChainStore, type ChainTransaction, confirmationsOf } from './simulated-chain.ts';
import { type ChainFault, type ChainSimulation, heightAt, withFault, withFork } from './simulation.ts';

type Deps = { readonly clock: Pick<SandboxClock, 'now' | 'refresh'>; readonly store: ChainStore };

type ChainState = {
  readonly network: Network;
  readonly fault: ChainFault;
  readonly height: number;
  /** The number of transactions that a reorganisation has removed. */
  readonly dropped?: number;
};

type ChainCommand = { readonly fault?: ChainFault; readonly reorganise?: number };

export async function readChains(deps: Deps): Promise<ChainState[]> {
  return Promise.all(NETWORKS.map(network => readChain(deps, network)));
}

async function readChain({ clock, store }: Deps, network: Network): Promise<ChainState> {
  await clock.refresh();
  return stateOf(network, await store.readSimulation(network), clock.now());
}

/**
 * Sets the fault, and reorganises the last blocks: their transactions are removed, also from the pool, until the same bytes
 * are sent again.
 */
export async function controlChain(deps: Deps, network: Network, command: ChainCommand): Promise<ChainState> {
  const { clock, store } = deps;
  await clock.refresh();
  let state: ChainState | undefined;
  const dropped = await store.change(network, before => {
    const now = clock.now();
    const simulation = command.fault === undefined ? before : withFault(network, before, command.fault, now);
    state = stateOf(network, simulation, now);
    const { height: last } = state;
    if (command.reorganise === undefined) return { simulation };
    const replaced = { first: last - command.reorganise + 1, last };
    return { simulation: withFork(simulation, replaced), replaced };
  });
  return { ...state!, ...(command.reorganise !== undefined && { dropped }) };
}

/** A transaction of the chain, and its number of confirmations. */
export async function readTransaction(
  { clock, store }: Deps,
  network: Network,
  hash: string,
): Promise<{ held: ChainTransaction; confirmations: number } | undefined> {
  await clock.refresh();
  const { simulation, held } = await store.readHash(network, hash);
  return held && { held, confirmations: confirmationsOf(held, heightAt(network, simulation, clock.now())) };
}

function stateOf(network: Network, simulation: ChainSimulation, now: Date): ChainState {
  return { network, fault: simulation.fault, height: heightAt(network, simulation, now) };
}
