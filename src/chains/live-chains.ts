// The chains of a live service, from its settings. The code of a family is loaded only where one of its networks is configured: the EVM
// libraries alone take a second to load.
import type { Static } from 'typebox';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Chains } from './chain.ts';
import type { ChainSettings } from './chain-settings.ts';
import type { FAMILIES, Family } from './families.ts';
import { familyOf } from './networks.ts';
import type { OpenDeps, Opened } from './opening.ts';

type EntryOf<F extends Family> = Readonly<Static<Extract<(typeof FAMILIES)[number], { readonly kind: F }>['entry']>>;
type Open<Entry> = (entry: Entry, deps: OpenDeps) => Promise<Opened>;

/** How each family opens its entries. */
const OPENERS: { readonly [F in Family]: Open<EntryOf<F>> } = {
  evm: async (entry, deps) => (await import('./evm/open.ts')).openEvm(entry, deps),
  tron: async (entry, deps) => (await import('./tron/open.ts')).openTron(entry, deps),
};

/**
 * The chain of each network. Throws a StartError with every fault. A provider that does not answer is not a fault: it is checked before its
 * first use.
 */
export async function liveChains(
  entries: readonly ChainSettings[],
  { log, ...deps }: OpenDeps & { readonly log: Log },
): Promise<Chains> {
  const opened = await Promise.all(entries.map(async entry => ({ entry, result: await openChain(entry, deps) })));
  const faults = opened.flatMap(({ result }, index) =>
    'faults' in result ? result.faults.map(fault => `chains[${index}].${fault}.`) : [],
  );
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  const chains = opened.flatMap(({ entry, result }) => {
    if ('faults' in result) return [];
    warn(entry, result.warnings, log);
    return [result.chain];
  });
  return Object.fromEntries(chains.map(chain => [chain.network, chain]));
}

function openChain(entry: ChainSettings, deps: OpenDeps): Promise<Opened> {
  // The schema guarantees that an entry belongs to the family of its network.
  const open = OPENERS[familyOf(entry.network).kind] as Open<ChainSettings>;
  return open(entry, deps);
}

function warn({ network, providers, test }: ChainSettings, warnings: readonly string[], log: Log): void {
  if (test) {
    log.warn('a TEST NODE stands in for a network: what is paid out there is worth nothing', { network });
  }
  if (providers.length === 1) {
    log.warn('a network has one provider, so nothing confirms what it says; name two', { network });
  }
  for (const reason of warnings) log.warn('a network is not as expected', { network, reason });
}
