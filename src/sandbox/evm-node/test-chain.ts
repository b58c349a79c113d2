// What `trilho chain` starts: a node with test tokens and a sender that has some of each, in a folder that keeps chain and key
// across restarts, since a service remembers which of its slots are used.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AssetSymbol } from '../../chains/asset.ts';
import type { EvmNetwork } from '../../chains/evm/networks/list.ts';
import type { NetworkFacts } from '../../chains/family.ts';
import { NETWORK_FACTS } from '../../chains/networks.ts';
import { readPasswordFile, writeKeyFile } from '../../chains/signer/key-files.ts';
import { createPrivateKey, publicKeyOf } from '../../chains/signer/key-signer.ts';
import { encryptKeystore, parseKeystore } from '../../chains/signer/keystore.ts';
import { addressesOf } from '../../chains/signer/recoverable.ts';
import { StartError } from '../../lib/errors.ts';
import { type EvmNode, startEvmNode } from './evm-node.ts';
import { findNode } from './find-node.ts';
import { contractAddress, deployToken } from './tokens.ts';

export type TestChainOptions = {
  readonly network: EvmNetwork;
  readonly port: number;
  readonly blockSeconds: number;
  readonly folder: string;
};

export type TestChain = {
  readonly node: EvmNode;
  readonly sender: string;
  /** Its initial balance: whole units of each token, and of the coin. */
  readonly given: Readonly<Record<string, number>>;
  /** `signers` and `chains` for the file of TRILHO_CONFIG, which is also written to `configFile`. */
  readonly settings: object;
  readonly configFile: string;
};

const COINS = 1_000;
const TOKENS = 1_000_000;
const WEI = 10n ** 18n;
/** Few, so that an order is fulfilled in seconds. */
const DEPTH = 2;
const PASSWORD_BYTES = 32;
const STATE_FILES = { anvil: 'state.json', hardhat: 'blocks.jsonl' } as const;

/** Throws a StartError for what a person can fix. */
export async function startTestChain(options: TestChainOptions): Promise<TestChain> {
  const { network, port, blockSeconds, folder } = options;
  await mkdir(folder, { recursive: true });
  await requireSameNetwork(folder, network);
  const { sender, ...signer } = await signerIn(folder);
  const stateFile = stateFileIn(folder);
  const isNew = !existsSync(stateFile);
  const node = await startEvmNode({ port, blockSeconds, stateFile });
  const tokens = await tokensOn(node, network, sender, isNew);
  if (isNew) await node.rpc('anvil_setBalance', [sender, `0x${(BigInt(COINS) * WEI).toString(16)}`]);
  const settings = {
    signers: [{ name: 'test', kind: 'keystore', ...signer, address: sender }],
    chains: [
      {
        network,
        providers: [{ name: 'node', url: node.url }],
        senders: [{ signer: 'test' }],
        depth: DEPTH,
        test: { chainId: node.chainId, blockMs: blockSeconds * 1_000, tokens },
      },
    ],
  };
  const configFile = path.join(folder, 'trilho.json');
  await writeFile(configFile, `${JSON.stringify(settings, undefined, 2)}\n`);
  const symbols = Object.keys(tokens).map(symbol => [symbol, TOKENS] as const);
  const given = Object.fromEntries([...symbols, [NETWORK_FACTS[network].coin.symbol, COINS]]);
  return { node, sender, given, settings, configFile };
}

/** The chain of a folder belongs to one network for good: its tokens have the decimals of that network. */
async function requireSameNetwork(folder: string, network: EvmNetwork): Promise<void> {
  const file = path.join(folder, 'network');
  if (!existsSync(file)) return writeFile(file, `${network}\n`);
  const kept = (await readFile(file, 'utf8')).trim();
  if (kept !== network) throw new StartError(`--folder holds a chain of ${kept}; name another folder for ${network}.`);
}

/** Each kind of node stores a chain in its own format, and cannot read the other's. */
function stateFileIn(folder: string): string {
  const name = findNode()?.name ?? 'hardhat';
  const other = name === 'anvil' ? 'hardhat' : 'anvil';
  if (existsSync(path.join(folder, STATE_FILES[other]))) {
    throw new StartError(`--folder holds a chain of ${other}; name another folder for ${name}.`);
  }
  return path.join(folder, STATE_FILES[name]);
}

/** Deployed in a fixed order by an account that does nothing else first, so that a restart finds them by their nonces. */
async function tokensOn(
  node: EvmNode,
  network: EvmNetwork,
  sender: string,
  isNew: boolean,
): Promise<{ readonly [S in AssetSymbol]?: string }> {
  const known: NetworkFacts = NETWORK_FACTS[network];
  const [account] = await node.rpc('eth_accounts');
  const addresses: [string, string][] = [];
  for (const [index, [symbol, { decimals }]] of Object.entries(known.tokens).entries()) {
    // Each takes two transactions: the contract, and the transfer to the sender.
    const address = contractAddress(account, BigInt(2 * index));
    const units = BigInt(TOKENS) * 10n ** BigInt(decimals);
    const kind = symbol === 'usdt' ? 'PlainToken' : 'ReturningToken';
    addresses.push([symbol, isNew ? (await deployToken(node, kind, decimals, sender, units)).address : address]);
  }
  return Object.fromEntries(addresses);
}

async function signerIn(folder: string): Promise<{ file: string; passwordFile: string; sender: string }> {
  const [file, passwordFile] = [path.join(folder, 'sender.json'), path.join(folder, 'sender.password')];
  if (existsSync(file)) {
    const parsed = parseKeystore(await readFile(file, 'utf8'));
    if ('keystore' in parsed && parsed.keystore.addresses) {
      return { file, passwordFile, sender: parsed.keystore.addresses.evm };
    }
    throw new StartError(`${file} is not a keystore with an address; remove it to create another one.`);
  }
  if (!existsSync(passwordFile)) await write(passwordFile, `${randomBytes(PASSWORD_BYTES).toString('hex')}\n`);
  const password = readPasswordFile(passwordFile);
  if ('fault' in password) throw new StartError(`${passwordFile} ${password.fault}.`);
  const privateKey = createPrivateKey();
  await write(file, await encryptKeystore(privateKey, password.text));
  return { file, passwordFile, sender: addressesOf(publicKeyOf(privateKey)).evm };
}

async function write(file: string, text: string): Promise<void> {
  const failure = await writeKeyFile(file, text);
  if (failure) throw new StartError(`${file} ${failure.fault}.`);
}
