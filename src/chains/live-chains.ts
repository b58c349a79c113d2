// The chains of a live service, from its settings. The code of a network is loaded only where the network is configured: the
// libraries of EVM alone take a second.
import type { Clock } from '../lib/clock.ts';
import { parseUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { isNodeUrl, NODE_URL_WORDS } from '../lib/node-url.ts';
import { readAddress } from './address.ts';
import type { Network } from './asset.ts';
import type { Chain, Chains } from './chain.ts';
import type { EvmNetwork } from './evm/networks.ts';
import type { EvmSender, EvmSettings } from './evm/settings.ts';
import { readPasswordFile } from './signer/key-files.ts';
import type { OpenSigner } from './signer/open-signers.ts';

type ProviderEntry = { readonly name: string; readonly url?: string; readonly urlFile?: string };
type SenderEntry = { readonly signer?: string; readonly address?: string };

/** An entry of `chains`, already checked for its form. */
export type EvmEntry = {
  readonly network: EvmNetwork;
  readonly providers: readonly (ProviderEntry & { readonly batchSize?: number })[];
  readonly senders: readonly SenderEntry[];
  readonly depth?: number;
  readonly window?: number;
  readonly maxAttempts?: number;
  readonly maxFeeGwei?: string;
  readonly minTipGwei?: string;
  readonly test?: NonNullable<EvmSettings['test']>;
};
type TronEntry = { readonly network: 'tron' };
type ChainEntry = EvmEntry | TronEntry;

type Deps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly signers: ReadonlyMap<string, OpenSigner>;
};

/** A chain, or every fault of its entry, each with its path inside it. */
type Opened = { readonly chain: Chain } | { readonly faults: readonly string[] };

const GWEI_DECIMALS = 9;

/**
 * The chain of each network. Throws a StartError with every fault. A provider that is silent is no fault: it is checked before
 * it is first used.
 */
export async function liveChains(entries: readonly ChainEntry[], deps: Deps): Promise<Chains> {
  const opened = await Promise.all(entries.map(entry => openChain(entry, deps)));
  const faults = opened.flatMap((result, index) =>
    'faults' in result ? result.faults.map(fault => `chains[${index}].${fault}.`) : [],
  );
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  const chains = opened.flatMap(result => ('chain' in result ? [result.chain] : []));
  return Object.fromEntries(chains.map(chain => [chain.network, chain]));
}

async function openChain(entry: ChainEntry, deps: Deps): Promise<Opened> {
  if (entry.network === 'tron') return { faults: ['network tron is not connected in this version'] };
  return openEvm(entry, deps);
}

async function openEvm(entry: EvmEntry, { clock, log, signers }: Deps): Promise<Opened> {
  const { network, test } = entry;
  const faults: string[] = [];
  const providers = entry.providers.map((provider, index) => {
    const { name, batchSize } = provider;
    const url = urlOf(provider, `providers[${index}]`, faults);
    return { name, url, ...(batchSize !== undefined && { batchSize }) };
  });
  const [first, ...former] = entry.senders.map((sender, index) => senderOf(sender, index, network, signers, faults));
  if (!first || faults.length > 0) return { faults };
  const { openEvmChain } = await import('./evm/evm-chain.ts');
  const { chain, start } = await openEvmChain(
    { ...limitsOf(entry), network, providers, senders: [first, ...former], ...(test && { test }) },
    { clock },
  );
  if (start.faults.length > 0) return start;
  warn(entry, start.warnings, log);
  return { chain };
}

function warn({ network, providers, test }: EvmEntry, warnings: readonly string[], log: Log): void {
  if (test) {
    log.warn('a TEST NODE takes the place of a network: what is paid out there is worth nothing', { network });
  }
  if (providers.length === 1) {
    log.warn('a network has one provider: what it says is believed without a second; name two', { network });
  }
  for (const reason of warnings) log.warn('a network is not as expected', { network, reason });
}

function limitsOf({ depth, window, maxAttempts, maxFeeGwei, minTipGwei }: EvmEntry): Partial<EvmSettings> {
  const maxFee = maxFeeGwei === undefined ? undefined : parseUnits(maxFeeGwei, GWEI_DECIMALS);
  const minTip = minTipGwei === undefined ? undefined : parseUnits(minTipGwei, GWEI_DECIMALS);
  return {
    ...(depth !== undefined && { depth }),
    ...(window !== undefined && { window }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(maxFee !== undefined && { maxFee }),
    ...(minTip !== undefined && { minTip }),
  };
}

/** A URL in a file is read as a secret is: without the line end, and only if nobody else can read it. */
function urlOf({ url, urlFile }: ProviderEntry, path: string, faults: string[]): string {
  if (urlFile === undefined) return url ?? '';
  const file = readPasswordFile(urlFile);
  if ('fault' in file) faults.push(`${path}.urlFile ${file.fault}`);
  else if (!isNodeUrl(file.text)) faults.push(`${path}.urlFile holds no URL of a node: it ${NODE_URL_WORDS}`);
  return 'text' in file ? file.text : '';
}

function senderOf(
  { signer: name, address: text }: SenderEntry,
  index: number,
  network: Network,
  signers: ReadonlyMap<string, OpenSigner>,
  faults: string[],
): EvmSender {
  if (name === undefined) {
    const { address = '', refusal } = readAddress(network, text ?? '');
    if (refusal) faults.push(`senders[${index}].address ${refusal.message}`);
    return { address };
  }
  const open = signers.get(name);
  if (!open) faults.push(`senders[${index}].signer names no entry of signers`);
  return open ? { address: open.evm, signer: open.signer } : { address: '' };
}
