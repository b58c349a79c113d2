// EVM networks of a run: a real node for each, a funded sender, and the settings with which a service sends there.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EvmNetwork } from '../src/chains/evm/networks/list.ts';
import { createPrivateKey, publicKeyOf } from '../src/chains/signer/key-signer.ts';
import { encryptKeystore } from '../src/chains/signer/keystore.ts';
import { addressesOf } from '../src/chains/signer/recoverable.ts';
import { type EvmNode, startEvmNode } from '../src/sandbox/evm-node/evm-node.ts';
import type { ChainOptions } from '../src/sandbox/evm-node/running-node.ts';
import { deployToken } from '../src/sandbox/evm-node/tokens.ts';

export type TestNetwork = {
  readonly network: EvmNetwork;
  readonly node: EvmNode;
  readonly signer: object;
  /** The entry of `chains`, with the node at this address. */
  chainAt(url: string, window: number): object;
};

const PASSWORD = 'a password of a benchmark';
const DEPTH = 2;
const BLOCK_MS = 1_000;

/** `dir` gets the keystore of the sender. */
export async function startTestNetwork(
  network: EvmNetwork,
  dir: string,
  options: Partial<ChainOptions> = {},
): Promise<TestNetwork> {
  const privateKey = createPrivateKey();
  const sender = addressesOf(publicKeyOf(privateKey)).evm;
  const [file, passwordFile] = [path.join(dir, `${sender}.json`), path.join(dir, `${sender}.password`)];
  await writeFile(file, await encryptKeystore(privateKey, PASSWORD), { mode: 0o600 });
  await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  const node = await startEvmNode(options);
  await node.rpc('anvil_setBalance', [sender, `0x${(10n ** 24n).toString(16)}`]);
  const usdt = await deployToken(node, 'PlainToken', 6, sender);
  return {
    network,
    node,
    signer: { name: network, kind: 'keystore', file, passwordFile },
    chainAt: (url, window) => ({
      network,
      providers: [{ name: 'node', url }],
      senders: [{ signer: network }],
      depth: DEPTH,
      window,
      test: { chainId: node.chainId, blockMs: BLOCK_MS, tokens: { usdt: usdt.address } },
    }),
  };
}
