// trilho signer: creates keystore files and prints the addresses of a key. Keys and passwords are never printed, and never taken as
// arguments, which every user of the machine can read in the list of processes.
import { FAMILIES } from '../chains/families.ts';
import { bytesOf } from '../chains/signer/hex-bytes.ts';
import { readKeyFile, readPasswordFile, writeKeyFile } from '../chains/signer/key-files.ts';
import { createPrivateKey, isPrivateKey, publicKeyOf } from '../chains/signer/key-signer.ts';
import { encryptKeystore, parseKeystore } from '../chains/signer/keystore.ts';
import { openKeystore, openSigner, sentencesOf } from '../chains/signer/open-signers.ts';
import { addressesOf, type KeyAddresses } from '../chains/signer/recoverable.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';

const VERBS = { create, import: importKey, address };

export async function signerCommand(config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('signer', args, ['create', 'import', 'address']);
  for (const line of linesOf(await VERBS[verb](args.slice(1), config))) console.log(line);
  return 0;
}

type Addresses = Partial<KeyAddresses>;

const LABEL_WIDTH = 6;

function linesOf(addresses: Addresses): string[] {
  return FAMILIES.flatMap(({ kind, label }) => {
    const found = addresses[kind];
    return found === undefined ? [] : [`${label.padEnd(LABEL_WIDTH)}${found}`];
  });
}

async function create(args: readonly string[]): Promise<KeyAddresses> {
  return writeKeystore(createPrivateKey(), readOptions('signer create', args));
}

async function importKey(args: readonly string[]): Promise<KeyAddresses> {
  const options = readOptions('signer import', args, ['key-file']);
  return writeKeystore(await readPrivateKey(options['key-file']), options);
}

function readOptions(command: string, args: readonly string[], more: readonly string[] = []) {
  const { positionals, options, faults } = readArguments(args, {
    neededOptions: ['file', 'password-file'],
    options: more,
    optionalPositionals: args,
  });
  // An argument may be a key, so it is not repeated.
  if (positionals.length > 0) faults.push('it takes options only, and a key from a file or standard input');
  refuseFaults(command, faults);
  return options;
}

const MAX_INPUT_LENGTH = 1_000;

/** From a file, or from standard input when no file is given. */
async function readPrivateKey(file: string | undefined): Promise<Uint8Array> {
  const place = file === undefined ? 'Standard input' : '--key-file';
  const read = file === undefined ? { text: await readStandardInput() } : readKeyFile(file);
  if ('fault' in read) throw new StartError(`${place} ${read.fault}.`);
  const bytes = bytesOf(read.text.trim());
  if (!bytes || !isPrivateKey(bytes)) {
    throw new StartError(`${place} holds no private key: it must be 64 hexadecimal digits, with or without 0x.`);
  }
  return bytes;
}

async function readStandardInput(): Promise<string> {
  if (process.stdin.isTTY) {
    throw new StartError(
      'Give the private key as --key-file or through a pipe: what is typed would stay on the screen.',
    );
  }
  let text = '';
  for await (const chunk of process.stdin) {
    text += chunk;
    if (text.length > MAX_INPUT_LENGTH) break;
  }
  return text;
}

/** Encrypts before it writes, and refuses a file that exists. */
async function writeKeystore(
  privateKey: Uint8Array,
  { file = '', 'password-file': passwordFile = '' }: Readonly<Record<string, string | undefined>>,
): Promise<KeyAddresses> {
  const password = readPasswordFile(passwordFile);
  if ('fault' in password) throw new StartError(`--password-file ${password.fault}.`);
  const failure = await writeKeyFile(file, await encryptKeystore(privateKey, password.text));
  if (failure) throw new StartError(`--file ${quoted(file)} ${failure.fault}.`);
  return addressesOf(publicKeyOf(privateKey));
}

/** Of a keystore file, as it states them or, with its password, derived from its key; or of a signer of the settings. */
async function address(args: readonly string[], { signers }: Config): Promise<Addresses> {
  const { positionals, options, faults } = readArguments(args, {
    optionalPositionals: ['name'],
    options: ['file', 'password-file'],
  });
  const { file, 'password-file': passwordFile } = options;
  const [name] = positionals;
  if ((name === undefined) === (file === undefined)) faults.push('it takes <name> or --file');
  if (file === undefined && passwordFile !== undefined) faults.push('--password-file goes with --file');
  refuseFaults('signer address', faults);
  if (file === undefined) return configuredAddress(signers, name ?? '');
  if (passwordFile === undefined) return namedAddress(file);
  const opened = await openKeystore({ file, passwordFile });
  if ('open' in opened) return opened.open;
  const sentences = opened.faults.map(({ path, message }) => `${OPTION_OF[path] ?? path} ${message}.`);
  throw new StartError(sentences.join('\n'));
}

const OPTION_OF: Readonly<Record<string, string>> = { file: '--file', passwordFile: '--password-file' };

function namedAddress(file: string): Addresses {
  const read = readKeyFile(file);
  const parsed = 'text' in read ? parseKeystore(read.text) : read;
  if ('fault' in parsed) throw new StartError(`--file ${quoted(file)} ${parsed.fault}.`);
  const { addresses } = parsed.keystore;
  if (!addresses) throw new StartError('The keystore does not name its address; give --password-file too.');
  console.error('As the file says; with --password-file it is checked against the key.');
  return addresses;
}

async function configuredAddress(signers: Config['signers'], name: string): Promise<Addresses> {
  const index = signers.findIndex(signer => signer.name === name);
  const settings = signers[index];
  if (!settings) {
    const known = signers.map(signer => signer.name).join(', ') || 'no signer';
    throw new StartError(`signers in TRILHO_CONFIG has no such name; there is ${known}.`);
  }
  const opened = await openSigner(settings);
  if ('open' in opened) return opened.open;
  throw new StartError(sentencesOf(index, opened.faults).join('\n'));
}
