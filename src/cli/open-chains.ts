// Opens the chains as the service does, for a command that asks their nodes.
import type { Chains } from '../chains/chain.ts';
import { openChains } from '../chains/open-chains.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { sandboxChains } from '../sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../sandbox/chains/store.ts';
import type { Database } from '../storage/database.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

export async function openChainsOfService(config: Config, { db, clock }: Deps, log: Log): Promise<Chains> {
  const configured = await openChains(config, log, clock);
  if (config.mode === 'live') return configured;
  // The clock of a command reads the time once, at its start.
  const still = { now: clock.now, refresh: async () => {} };
  return { ...sandboxChains({ clock: still, store: sandboxChainStore(db) }), ...configured };
}
