// Opens the chains of the settings, for the service and for commands that ask them.
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { slowStep } from '../lib/slow-step.ts';
import type { Chains } from './chain.ts';
import type { ChainSettings } from './chain-settings.ts';
import { liveChains } from './live-chains.ts';
import { openSigners } from './signer/open-signers.ts';
import type { SignerSettings } from './signer/signer-settings.ts';

type Settings = { readonly chains: readonly ChainSettings[]; readonly signers: readonly SignerSettings[] };

/** Signers first: a chain asks its nodes about the addresses that it sends from. Throws a StartError with every fault. */
export async function openChains(settings: Settings, log: Log, clock: Clock): Promise<Chains> {
  if (settings.chains.length === 0) return {};
  const signers = await slowStep(log, 'opening the signers', () => openSigners(settings.signers));
  return slowStep(log, 'asking the nodes of the chains', () => liveChains(settings.chains, { clock, log, signers }));
}
