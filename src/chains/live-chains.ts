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
import { NETWORK_FACTS } from './networks.ts';
import { readPasswordFile } from './signer/key-files.ts';
import type { OpenSigner } from './signer/open-signers.ts';
import type { TronSender } from './tron/start-check.ts';
import type { TronSettings } from './tron/tron-chain.ts';

type ProviderEntry = {
  readonly name: string;
  readonly url?: string;
  readonly urlFile?: string;
  readonly timeoutSeconds?: number;
};
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
  readonly maxGas?: number;
  readonly test?: NonNullable<EvmSettings['test']>;
};
export type TronEntry = {
  readonly network: 'tron';
  readonly providers: readonly (ProviderEntry & { readonly apiKey?: string; readonly apiKeyFile?: string })[];
  readonly senders: readonly SenderEntry[];
  readonly window?: number;
  readonly maxFeeTrx?: string;
  readonly test?: NonNullable<TronSettings['test']>;
};
export type ChainEntry = EvmEntry | TronEntry;

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

function openChain(entry: ChainEntry, deps: Deps): Promise<Opened> {
  return entry.network === 'tron' ? openTron(entry, deps) : openEvm(entry, deps);
}

async function openEvm(entry: EvmEntry, { clock, log, signers }: Deps): Promise<Opened> {
  const { network, test } = entry;
  const faults: string[] = [];
  const providers = entry.providers.map((provider, index) => {
    const { url: _, urlFile: __, ...rest } = provider;
    return { ...rest, url: urlOf(provider, `providers[${index}]`, faults) };
  });
  const [first, ...former] = entry.senders.map((sender, index): EvmSender => {
    const { open, address } = senderOf(sender, `senders[${index}]`, network, signers, faults);
    return open ? { address: open.evm, signer: open.signer } : { address };
  });
  if (!first || faults.length > 0) return { faults };
  const { openEvmChain } = await import('./evm/evm-chain.ts');
  const settings = {
    ...limitsOf(entry),
    network,
    providers,
    senders: [first, ...former],
    ...(test && { test }),
  } as const;
  const { chain, start } = await openEvmChain(settings, { clock });
  if (start.faults.length > 0) return start;
  warn(entry, start.warnings, log);
  return { chain };
}

async function openTron(entry: TronEntry, { clock, log, signers }: Deps): Promise<Opened> {
  const faults: string[] = [];
  const [provider, ...providers] = entry.providers.map((given, index) => {
    const path = `providers[${index}]`;
    const apiKey =
      given.apiKeyFile === undefined ? given.apiKey : secretOf(given.apiKeyFile, `${path}.apiKeyFile`, faults);
    const { name, timeoutSeconds } = given;
    return {
      ...{ name, url: urlOf(given, path, faults) },
      ...(apiKey !== undefined && { apiKey }),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    };
  });
  const [sender, ...former] = entry.senders.map((given, index): TronSender => {
    const { open, address } = senderOf(given, `senders[${index}]`, 'tron', signers, faults);
    if (!open) return { address };
    if (open.tron !== undefined && open.signer.kind === 'digest') return { address: open.tron, signer: open.signer };
    faults.push(`senders[${index}].signer is a remote one, which signs for EVM networks only`);
    return { address };
  });
  if (!provider || !sender || faults.length > 0) return { faults };
  const { openTronChain } = await import('./tron/tron-chain.ts');
  const { window, maxFeeTrx, test } = entry;
  const feeCap = maxFeeTrx === undefined ? undefined : parseUnits(maxFeeTrx, NETWORK_FACTS.tron.coin.decimals);
  const settings = {
    providers: [provider, ...providers],
    senders: [sender, ...former],
    ...(window !== undefined && { window }),
    ...(feeCap !== undefined && { feeCap }),
    ...(test && { test }),
  } as const;
  const { chain, start } = await openTronChain(settings, { clock });
  if (start.faults.length > 0) return start;
  warn(entry, start.warnings, log);
  return { chain };
}

function warn({ network, providers, test }: ChainEntry, warnings: readonly string[], log: Log): void {
  if (test) {
    log.warn('a TEST NODE takes the place of a network: what is paid out there is worth nothing', { network });
  }
  if (providers.length === 1) {
    log.warn('a network has one provider: what it says is believed without a second; name two', { network });
  }
  for (const reason of warnings) log.warn('a network is not as expected', { network, reason });
}

function limitsOf({ depth, window, maxAttempts, maxFeeGwei, minTipGwei, maxGas }: EvmEntry): Partial<EvmSettings> {
  const maxFee = maxFeeGwei === undefined ? undefined : parseUnits(maxFeeGwei, GWEI_DECIMALS);
  const minTip = minTipGwei === undefined ? undefined : parseUnits(minTipGwei, GWEI_DECIMALS);
  return {
    ...(depth !== undefined && { depth }),
    ...(window !== undefined && { window }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(maxFee !== undefined && { maxFee }),
    ...(minTip !== undefined && { minTip }),
    ...(maxGas !== undefined && { maxGas: BigInt(maxGas) }),
  };
}

function urlOf({ url, urlFile }: ProviderEntry, path: string, faults: string[]): string {
  if (urlFile === undefined) return url ?? '';
  const text = secretOf(urlFile, `${path}.urlFile`, faults);
  if (text !== undefined && !isNodeUrl(text)) faults.push(`${path}.urlFile: its text ${NODE_URL_WORDS}`);
  return text ?? '';
}

/** Without the line end, and only if not every user of the machine can read it. */
function secretOf(file: string, path: string, faults: string[]): string | undefined {
  const read = readPasswordFile(file);
  if ('text' in read) return read.text;
  faults.push(`${path} ${read.fault}`);
  return undefined;
}

function senderOf(
  { signer: name, address: text = '' }: SenderEntry,
  path: string,
  network: Network,
  signers: ReadonlyMap<string, OpenSigner>,
  faults: string[],
): { readonly open?: OpenSigner; readonly address: string } {
  if (name === undefined) {
    const { address = '', refusal } = readAddress(network, text);
    if (refusal) faults.push(`${path}.address ${refusal.message}`);
    return { address };
  }
  const open = signers.get(name);
  if (open) return { open, address: '' };
  faults.push(`${path}.signer names no entry of signers`);
  return { address: '' };
}
