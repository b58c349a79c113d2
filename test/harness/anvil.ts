// A real EVM node for one test: started empty on a free port, mined when told to, ended by its process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Hex } from 'viem';
import { encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem/utils';

export type Anvil = {
  readonly url: string;
  readonly chainId: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  rpc(method: string, params?: readonly unknown[]): Promise<any>;
  mine(blocks?: number): Promise<void>;
  /** Sends from the first account that the node itself has keys of, and mines it. */
  send(to: string | undefined, data: string, value?: bigint): Promise<string>;
  stop(): Promise<void>;
};

type Options = {
  readonly chainId?: number;
  /** Mines by itself; without it, only when told to. */
  readonly blockSeconds?: number;
};

const require = createRequire(import.meta.url);
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
// The launcher of the package would be a second process between us and the node.
const BINARY = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`);

export async function startAnvil({ chainId = 31_337, blockSeconds }: Options = {}): Promise<Anvil> {
  const mining = blockSeconds === undefined ? ['--no-mining'] : ['--block-time', String(blockSeconds)];
  // The final block is two blocks behind the head.
  const options = ['--port', '0', '--chain-id', String(chainId), '--slots-in-an-epoch', '1', '--accounts', '1'];
  const child = spawn(BINARY, [...options, ...mining], { stdio: ['ignore', 'pipe', 'inherit'] });
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
    rpc,
    mine,
    async send(to, data, value = 0n) {
      const hash = await rpc('eth_sendTransaction', [{ from: account, to, data, value: `0x${value.toString(16)}` }]);
      await mine();
      const receipt = await rpc('eth_getTransactionReceipt', [hash]);
      if (receipt?.status !== '0x1') throw new Error('The transaction of the test failed.');
      return receipt.contractAddress ?? hash;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

async function listeningAt(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The node has no output.');
  const lines = createInterface(child.stdout);
  for await (const line of lines) {
    const address = /^Listening on (\S+)$/.exec(line)?.[1];
    if (address === undefined) continue;
    // What it prints later is read and dropped, or it would wait for a reader.
    child.stdout.resume();
    return address;
  }
  throw new Error('The node ended before it listened.');
}

export type NodeReply =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: { readonly code: number; readonly message: string } };

/** What a node answers to one call. */
export async function callNode(url: string, method: string, params: readonly unknown[]): Promise<NodeReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as NodeReply;
}

const TOKEN = parseAbi([
  'function transfer(address to, uint256 units)',
  'function balanceOf(address owner) view returns (uint256)',
  'function setBlocked(address owner, bool isIt)',
  'function setRates(uint256 told, uint256 hidden)',
  'function setMute(bool isIt)',
  'function setOpen(bool isIt)',
]);
const CODE: Record<'PlainToken' | 'ReturningToken' | 'Door', Hex> = JSON.parse(
  readFileSync(new URL('../fixtures/tokens.json', import.meta.url), 'utf8'),
);

export type Token = {
  readonly address: string;
  balanceOf(owner: string): Promise<bigint>;
  setBlocked(owner: string, isIt: boolean): Promise<unknown>;
  setRates(told: bigint, hidden: bigint): Promise<unknown>;
  setMute(isIt: boolean): Promise<unknown>;
};

/** Deploys a token and gives the owner all of it. */
export async function deployToken(
  anvil: Anvil,
  kind: 'PlainToken' | 'ReturningToken',
  decimals: number,
  owner: string,
): Promise<Token> {
  const supply = 10n ** 30n;
  const types = [{ type: 'uint8' }, { type: 'uint256' }] as const;
  const args = encodeAbiParameters(types, [decimals, supply]).slice(2);
  const address = await anvil.send(undefined, CODE[kind] + args);
  const call = (functionName: 'setBlocked' | 'setRates' | 'setMute' | 'transfer', args: readonly unknown[]) =>
    anvil.send(address, encodeFunctionData({ abi: TOKEN, functionName, args } as never));
  await call('transfer', [owner, supply]);
  return {
    address,
    async balanceOf(of) {
      const data = encodeFunctionData({ abi: TOKEN, functionName: 'balanceOf', args: [`0x${of.slice(2)}`] });
      return BigInt(await anvil.rpc('eth_call', [{ to: address, data }, 'latest']));
    },
    setBlocked: (of, isIt) => call('setBlocked', [of, isIt]),
    setRates: (told, hidden) => call('setRates', [told, hidden]),
    setMute: isIt => call('setMute', [isIt]),
  };
}

/** A contract that takes the coin only while it is open. */
export async function deployDoor(anvil: Anvil): Promise<{ address: string; setOpen(isIt: boolean): Promise<unknown> }> {
  const address = await anvil.send(undefined, CODE.Door);
  const setOpen = (isIt: boolean) =>
    anvil.send(address, encodeFunctionData({ abi: TOKEN, functionName: 'setOpen', args: [isIt] }));
  return { address, setOpen };
}
