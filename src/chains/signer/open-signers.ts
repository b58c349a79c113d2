// Opens the signers of the settings at start: files are read and decrypted, HSMs logged into, and the address of each key compared with the
// expected one.
import { StartError } from '../../lib/errors.ts';
import { familyOfAddress, readAddress } from '../address.ts';
import { EVM_NETWORKS } from '../evm/networks/list.ts';
import { type FileText, readKeyFile, readPasswordFile } from './key-files.ts';
import { keySigner } from './key-signer.ts';
import { decryptKeystore, parseKeystore } from './keystore.ts';
import { openPkcs11 } from './pkcs11.ts';
import type { SettingFault } from './pkcs11-module.ts';
import { postDeps } from './post-json.ts';
import { addressesOf, type KeyAddresses } from './recoverable.ts';
import { hasRemoteKey, remoteSigner } from './remote.ts';
import { readRemoteTls } from './remote-tls.ts';
import type { Signer } from './signer.ts';
import type { SignerSettings } from './signer-settings.ts';

type OfKind<K extends SignerSettings['kind']> = Extract<SignerSettings, { readonly kind: K }>;

/** With the address of its key in each family that it signs for; a remote signer signs for EVM only. */
export type OpenSigner = { readonly signer: Signer } & Partial<KeyAddresses>;

type Opened = { readonly open: OpenSigner } | { readonly faults: readonly SettingFault[] };

/**
 * The signers by their names. Throws a StartError with every fault, each a sentence that names its setting. A remote signer that
 * does not answer is not a fault: it is asked again with every payout.
 *
 * @example
 * const signers = await openSigners(config.signers);
 */
export async function openSigners(settings: readonly SignerSettings[]): Promise<ReadonlyMap<string, OpenSigner>> {
  const signers = new Map<string, OpenSigner>();
  const faults: string[] = [];
  // One after the other: decrypting a keystore takes 256 MiB.
  for (const [index, entry] of settings.entries()) {
    const opened = await openSigner(entry);
    if ('open' in opened) signers.set(entry.name, opened.open);
    else faults.push(...sentencesOf(index, opened.faults));
  }
  if (faults.length > 0) throw new StartError(faults.join('\n'));
  return signers;
}

/** Each fault as a sentence that names the setting. */
export function sentencesOf(index: number, faults: readonly SettingFault[]): string[] {
  return faults.map(({ path, message }) => `signers[${index}].${path} ${message}.`);
}

export async function openSigner(settings: SignerSettings): Promise<Opened> {
  if (settings.kind === 'remote') return openRemote(settings);
  const opened = settings.kind === 'keystore' ? await openKeystore(settings) : await openHsm(settings);
  if ('faults' in opened) return opened;
  const fault = addressFault(settings.address, opened.open);
  return fault ? { faults: [fault] } : opened;
}

const KEYSTORE_FAULTS = {
  password: { path: 'passwordFile', message: 'is not the password of the keystore' },
  key: { path: 'file', message: 'holds bytes that are not a private key' },
  address: { path: 'file', message: 'names an address that is not that of its key' },
} as const;

export async function openKeystore({ file, passwordFile }: Pick<OfKind<'keystore'>, 'file' | 'passwordFile'>) {
  const faults: SettingFault[] = [];
  const text = textOf('file', readKeyFile(file), faults);
  const password = textOf('passwordFile', readPasswordFile(passwordFile), faults);
  const parsed = text === undefined ? undefined : parseKeystore(text);
  if (parsed && 'fault' in parsed) faults.push({ path: 'file', message: parsed.fault });
  if (!parsed || 'fault' in parsed || password === undefined) return { faults };
  const opened = await decryptKeystore(parsed.keystore, password);
  if ('fault' in opened) return { faults: [KEYSTORE_FAULTS[opened.fault]] };
  const signer = keySigner(opened.privateKey);
  return { open: { signer, ...addressesOf(signer.publicKey) } };
}

async function openHsm(settings: OfKind<'pkcs11'>): Promise<Opened> {
  const pin = readPasswordFile(settings.pinFile);
  if ('fault' in pin) return { faults: [{ path: 'pinFile', message: pin.fault }] };
  const opened = await openPkcs11(settings, pin.text);
  if ('fault' in opened) return { faults: [opened.fault] };
  return { open: { signer: opened.signer, ...addressesOf(opened.signer.publicKey) } };
}

async function openRemote(settings: OfKind<'remote'>): Promise<Opened> {
  const { address, refusal } = readAddress(EVM_NETWORKS[0].id, settings.address);
  if (refusal) return { faults: [{ path: 'address', message: refusal.message }] };
  const read = readRemoteTls(settings);
  if ('faults' in read) return read;
  const deps = postDeps(settings.url, read.tls);
  if ((await hasRemoteKey(deps, address)) === false) {
    return { faults: [{ path: 'address', message: 'is not an address that the remote signer has a key for' }] };
  }
  return { open: { signer: remoteSigner(deps, address), evm: address } };
}

/** Whether a remote signer that was opened does not say that it has its key. */
export async function isRemoteSilent(settings: OfKind<'remote'>): Promise<boolean> {
  const read = readRemoteTls(settings);
  const { address = settings.address } = readAddress(EVM_NETWORKS[0].id, settings.address);
  return 'faults' in read || (await hasRemoteKey(postDeps(settings.url, read.tls), address)) === undefined;
}

function addressFault(expected: string | undefined, open: OpenSigner): SettingFault | undefined {
  if (expected === undefined) return undefined;
  const family = familyOfAddress(expected);
  if (!family) return { path: 'address', message: 'is not an address of a supported network' };
  const { address, refusal } = family.addresses.read(expected);
  if (refusal) return { path: 'address', message: refusal.message };
  const found = open[family.kind];
  return address === found ? undefined : { path: 'address', message: `is not that of the key, ${found}` };
}

function textOf(path: string, read: FileText, faults: SettingFault[]): string | undefined {
  if ('text' in read) return read.text;
  faults.push({ path, message: read.fault });
  return undefined;
}
