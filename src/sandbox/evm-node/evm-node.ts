// A real EVM node on this machine, for `trilho chain`, tests and drills: the best available one, behind one interface.
import { StartError } from '../../lib/errors.ts';
import { startAnvil } from './anvil.ts';
import { findNode } from './find-node.ts';
import type { ChainOptions, NodeReply, RunningNode } from './running-node.ts';

export type EvmNode = RunningNode & {
  readonly chainId: number;
  // biome-ignore lint/suspicious/noExplicitAny: callers inspect any result.
  rpc(method: string, params?: readonly unknown[]): Promise<any>;
  mine(blocks?: number): Promise<void>;
  /** Sends from the first account whose key the node itself has, and mines it. Returns the hash, or the new contract. */
  send(to: string | undefined, data: string, value?: bigint): Promise<string>;
};

/** The usual chain id of local nodes. */
const LOCAL_CHAIN_ID = 31_337;

/** Throws a StartError when there is no node, and an Error with its message when it does not start. */
export async function startEvmNode(changes: Partial<ChainOptions> = {}): Promise<EvmNode> {
  const options: ChainOptions = { chainId: LOCAL_CHAIN_ID, port: 0, slotsInEpoch: 1, ...changes };
  const running = await startBest(options);
  const rpc: EvmNode['rpc'] = async (method, params = []) => {
    const { result, error } = await callNode(running.url, method, params);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const [account] = await rpc('eth_accounts');
  const mine: EvmNode['mine'] = async (blocks = 1) => {
    await rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  };
  return {
    ...running,
    chainId: options.chainId,
    rpc,
    mine,
    async send(to, data, value = 0n) {
      const hash = await rpc('eth_sendTransaction', [{ from: account, to, data, value: `0x${value.toString(16)}` }]);
      await mine();
      const receipt = await rpc('eth_getTransactionReceipt', [hash]);
      if (receipt?.status !== '0x1') throw new Error('A transaction of the test node failed.');
      return receipt.contractAddress ?? hash;
    },
  };
}

async function startBest(options: ChainOptions): Promise<RunningNode> {
  const found = findNode();
  if (found === undefined) throw new StartError(MISSING);
  if (found.name === 'anvil') return startAnvil(found.file, options);
  // Loaded only if installed: it is not part of the service.
  const { startHardhat } = await import('./hardhat.ts');
  return startHardhat(options);
}

const MISSING =
  'There is no EVM node: run npm install --save-dev hardhat@3, or put the program anvil of Foundry into a folder of PATH.';

/** What a node answers to one call. */
export async function callNode(url: string, method: string, params: readonly unknown[]): Promise<NodeReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as NodeReply;
}
