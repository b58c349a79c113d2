// A contract on a test node that takes the coin only while it is open.
import { encodeFunctionData, parseAbi } from 'viem/utils';
import type { EvmNode } from '../../src/sandbox/evm-node/evm-node.ts';
import code from '../../src/sandbox/evm-node/tokens.json' with { type: 'json' };

const DOOR = parseAbi(['function setOpen(bool isIt)']);

type Door = { readonly address: string; setOpen(isIt: boolean): Promise<unknown> };

export async function deployDoor(node: EvmNode): Promise<Door> {
  const address = await node.send(undefined, code.Door);
  return { address, setOpen: isIt => node.send(address, encodeFunctionData({ abi: DOOR, args: [isIt] })) };
}
