// A real EVM node on this machine: Foundry's anvil as a child process, for `trilho chain`, tests and drills.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { findAnvil } from './find-anvil.ts';

export type Anvil = {
  readonly url: string;
  readonly chainId: number;
  readonly pid: number;
  // biome-ignore lint/suspicious/noExplicitAny: callers look into whatever came back.
  rpc(method: string, params?: readonly unknown[]): Promise<any>;
  mine(blocks?: number): Promise<void>;
  /** Sends from the first account that the node itself has keys of, and mines it. Returns the hash, or the new contract. */
  send(to: string | undefined, data: string, value?: bigint): Promise<string>;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

export type AnvilOptions = {
  readonly chainId?: number;
  /** Mines by itself; without it, only when told to. */
  readonly blockSeconds?: number;
  /** A free one when absent. */
  readonly port?: number;
  /** Blocks of an epoch; the final block is two epochs behind the head. One when absent. */
  readonly slotsInEpoch?: number;
  /** Keeps the chain over a restart. */
  readonly stateFile?: string;
};

/** The chain id that local nodes have by custom. */
export const LOCAL_CHAIN_ID = 31_337;
/** The state is also written every so often, for a node that is killed. */
const STATE_SECONDS = 5;

/** Throws a StartError when anvil is not installed, and an Error with its words when it does not start. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = LOCAL_CHAIN_ID, blockSeconds, port = 0, slotsInEpoch = 1, stateFile } = options;
  const args = [
    ...['--port', String(port), '--chain-id', String(chainId), '--accounts', '1'],
    ...['--slots-in-an-epoch', String(slotsInEpoch)],
    ...(blockSeconds === undefined ? ['--no-mining'] : ['--block-time', String(blockSeconds)]),
    ...(stateFile === undefined ? [] : ['--state', stateFile, '--state-interval', String(STATE_SECONDS)]),
  ];
  const child = spawn(findAnvil(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(() => {});
  const url = `http://${await listeningAt(child)}`;
  const rpc: Anvil['rpc'] = async (method, params = []) => {
    const { result, error } = await callNode(url, method, params);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const [account] = await rpc('eth_accounts');
  const mine: Anvil['mine'] = async (blocks = 1) => {
    await rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  };
  return {
    url,
    chainId,
    pid: child.pid!,
    rpc,
    mine,
    ended,
    async send(to, data, value = 0n) {
      const hash = await rpc('eth_sendTransaction', [{ from: account, to, data, value: `0x${value.toString(16)}` }]);
      await mine();
      const receipt = await rpc('eth_getTransactionReceipt', [hash]);
      if (receipt?.status !== '0x1') throw new Error('A transaction of the test node failed.');
      return receipt.contractAddress ?? hash;
    },
    async stop() {
      child.kill();
      await ended;
    },
  };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The node has no output.');
  let words = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    words = (words + chunk).slice(-MAX_WORDS);
  });
  for await (const line of createInterface(stdout)) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    // What it prints later is read and dropped, or it would wait for a reader.
    stdout.resume();
    return address;
  }
  throw new Error(`anvil ended before it listened. ${words.trim()}`);
}

const MAX_WORDS = 1_000;

export type NodeReply =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: { readonly code: number; readonly message: string } };

/** What a node answers to one call. */
export async function callNode(url: string, method: string, params: readonly unknown[]): Promise<NodeReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as NodeReply;
}
