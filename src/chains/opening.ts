// The first steps of opening a chain of any family: signers are found by name, files read, and every fault is collected with its path.
import type { Clock } from '../lib/clock.ts';
import { isNodeUrl, NODE_URL_MESSAGE } from '../lib/node-url.ts';
import { readAddress } from './address.ts';
import type { Network } from './asset.ts';
import type { Chain } from './chain.ts';
import { readPasswordFile } from './signer/key-files.ts';
import type { OpenSigner } from './signer/open-signers.ts';

export type OpenDeps = {
  readonly clock: Clock;
  readonly signers: ReadonlyMap<string, OpenSigner>;
};

/** A chain and its warnings, or every fault of its entry, each with its path inside the entry. */
export type Opened =
  | { readonly chain: Chain; readonly warnings: readonly string[] }
  | { readonly faults: readonly string[] };

type ProviderEntry = { readonly url?: string; readonly urlFile?: string };
type SenderEntry = { readonly signer?: string; readonly address?: string; readonly active?: boolean };

export function urlOf({ url, urlFile }: ProviderEntry, path: string, faults: string[]): string {
  if (urlFile === undefined) return url ?? '';
  const text = secretOf(urlFile, `${path}.urlFile`, faults);
  if (text !== undefined && !isNodeUrl(text)) faults.push(`${path}.urlFile: its text ${NODE_URL_MESSAGE}`);
  return text ?? '';
}

/** Without the line end, and only if the file is not readable by every user of the machine. */
export function secretOf(file: string, path: string, faults: string[]): string | undefined {
  const read = readPasswordFile(file);
  if ('text' in read) return read.text;
  faults.push(`${path} ${read.fault}`);
  return undefined;
}

export function senderOf(
  { signer: name, address: text = '', active = false }: SenderEntry,
  path: string,
  network: Network,
  signers: ReadonlyMap<string, OpenSigner>,
  faults: string[],
): { readonly open?: OpenSigner; readonly address: string } {
  if (name === undefined) {
    if (active) faults.push(`${path}.active: a sender with an address alone takes no slots; name its signer`);
    const { address = '', refusal } = readAddress(network, text);
    if (refusal) faults.push(`${path}.address ${refusal.message}`);
    return { address };
  }
  const open = signers.get(name);
  if (open) return { open, address: '' };
  faults.push(`${path}.signer names no entry of signers`);
  return { address: '' };
}
