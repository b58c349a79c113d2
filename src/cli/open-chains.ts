// The chains as the service has them, for a command that asks their nodes.
import type { Chains } from '../chains/chain.ts';
import { liveChains } from '../chains/live-chains.ts';
import { openSigners } from '../chains/signer/open-signers.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { sandboxChains } from '../sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../sandbox/chains/store.ts';
import type { CommandDeps } from './database.ts';

export async function openChains(config: Config, { db, clock }: CommandDeps, log: Log): Promise<Chains> {
  // The clock of a command was read at its start.
  const still = { now: clock.now, refresh: async () => {} };
  if (config.mode === 'sandbox') return sandboxChains({ clock: still, store: sandboxChainStore(db) });
  return liveChains(config.chains, { clock, log, signers: await openSigners(config.signers) });
}
