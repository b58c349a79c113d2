// EVM networks of a run: a real node for each, a sender that has plenty, and the settings with which a service sends there.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { EvmNetwork } from '../src/chains/evm/networks.ts';
import { createPrivateKey, publicKeyOf } from '../src/chains/signer/key-signer.ts';
import { encryptKeystore } from '../src/chains/signer/keystore.ts';
import { addressesOf } from '../src/chains/signer/recoverable.ts';
import { type Anvil, type AnvilOptions, startAnvil } from '../src/sandbox/anvil/anvil.ts';
import { deployToken } from '../src/sandbox/anvil/tokens.ts';

export type TestNetwork = {
  readonly network: EvmNetwork;
  readonly anvil: Anvil;
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
  options: AnvilOptions = {},
): Promise<TestNetwork> {
  const privateKey = createPrivateKey();
  const sender = addressesOf(publicKeyOf(privateKey)).evm;
  const [file, passwordFile] = [path.join(dir, `${sender}.json`), path.join(dir, `${sender}.password`)];
  await writeFile(file, await encryptKeystore(privateKey, PASSWORD), { mode: 0o600 });
  await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  const anvil = await startAnvil(options);
  await anvil.rpc('anvil_setBalance', [sender, `0x${(10n ** 24n).toString(16)}`]);
  const usdt = await deployToken(anvil, 'PlainToken', 6, sender);
  return {
    network,
    anvil,
    signer: { name: network, kind: 'keystore', file, passwordFile },
    chainAt: (url, window) => ({
      network,
      providers: [{ name: 'anvil', url }],
      senders: [{ signer: network }],
      depth: DEPTH,
      window,
      test: { chainId: anvil.chainId, blockMs: BLOCK_MS, tokens: { usdt: usdt.address } },
    }),
  };
}
