// trilho chain: starts a real EVM node with test tokens on this machine, prints the settings that a service needs to send on it,
// and runs until it is stopped.
import path from 'node:path';
import { EVM_NETWORKS, type EvmNetwork } from '../chains/evm/networks/list.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { startTestChain, type TestChain, type TestChainOptions } from '../sandbox/evm-node/test-chain.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { stopAsked } from './stop-asked.ts';

const DEFAULT_NETWORK: EvmNetwork = 'polygon';
const DEFAULT_PORT = 8545;
const DEFAULT_BLOCK_SECONDS = 2;
const DEFAULT_FOLDER = 'test-chain';
const MAX_BLOCK_SECONDS = 60;

/** Exit code 1 when the node ended by itself. */
export async function chainCommand({ dataDir }: Config, _log: Log, args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const stopping = stopAsked();
  const chain = await startTestChain(options).catch(error => {
    throw refusalOf(error, options);
  });
  console.log(welcome(options, chain, dataDir));
  const isAsked = await Promise.race([stopping.then(() => true), chain.node.ended.then(() => false)]);
  await chain.node.stop();
  if (!isAsked) console.error('The test node has ended.');
  return isAsked ? 0 : 1;
}

function readOptions(args: readonly string[]): TestChainOptions {
  const { options, faults } = readArguments(args, { options: ['network', 'port', 'block-seconds', 'folder'] });
  const whole = (name: string, otherwise: number, min: number, max: number): number => {
    const text = options[name];
    if (text === undefined) return otherwise;
    const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) faults.push(`--${name} must be a whole number from ${min} to ${max}`);
    return number;
  };
  const { network: asked = DEFAULT_NETWORK, folder = DEFAULT_FOLDER } = options;
  const known = EVM_NETWORKS.map(({ id }) => id);
  const network = known.find(id => id === asked);
  if (!network) faults.push(`--network has ${quoted(asked)}; there are ${known.join(', ')}`);
  const port = whole('port', DEFAULT_PORT, 0, 65_535);
  const blockSeconds = whole('block-seconds', DEFAULT_BLOCK_SECONDS, 1, MAX_BLOCK_SECONDS);
  refuseFaults('chain', faults);
  return { network: network ?? DEFAULT_NETWORK, port, blockSeconds, folder };
}

/** A fault that a person can fix becomes one line. */
function refusalOf(error: unknown, { folder, port }: TestChainOptions): unknown {
  if (error instanceof StartError || !(error instanceof Error)) return error;
  const isFile = 'code' in error && !('port' in error);
  if (isFile) return new StartError(`--folder ${quoted(folder)} cannot be used: ${String(error.code)}.`);
  return new StartError(`The test node does not start on port ${port}. ${error.message}`);
}

function welcome(
  { network, folder }: TestChainOptions,
  { node, sender, given, settings, configFile }: TestChain,
  dataDir: string,
): string {
  // A database belongs to one chain: the nonces of its slots are those of that chain.
  const database = path.join(dataDir, path.basename(folder));
  const amounts = Object.entries(given).map(([symbol, units]) => `${units} ${symbol}`);
  return `
  A test node stands for ${network}. Nothing on it is worth anything.
  Node      ${node.url}, chain id ${node.chainId}
  Sender    ${sender}, with ${amounts.join(', ')} at first

  For the file of TRILHO_CONFIG; it is also in ${configFile}:
${JSON.stringify(settings, undefined, 2)}

  A sandbox that sends on it:
  TRILHO_CONFIG=${configFile} TRILHO_DATA_DIR=${database} npx trilho serve
`;
}
