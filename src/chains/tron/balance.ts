// The balance of a sender at a solidified block. The calls do not say which block they saw, so the block is read before and after and must
// be the same.
import type { Balance } from '../chain.ts';
import type { TronAsset } from './assets.ts';
import { tokenBalance } from './call-transfer.ts';
import type { Node } from './nodes.ts';
import type { Asked } from './provider.ts';

/** A block takes three seconds; the calls take much less. */
const TRIES = 3;

/** Undefined when no node answers. */
export async function balanceOf(
  nodes: readonly Node[],
  sender: string,
  asset: TronAsset,
): Promise<Balance | undefined> {
  for (const node of nodes) {
    for (let tried = 0; tried < TRIES; tried++) {
      const before = await node.solid();
      const units = await unitsAt(node, sender, asset);
      const after = await node.solid();
      if (before.failure !== undefined || units.failure !== undefined || after.failure !== undefined) break;
      if (before.value.id === after.value.id) return { units: units.value, block: before.value.number };
    }
  }
  return undefined;
}

async function unitsAt(node: Node, sender: string, asset: TronAsset): Promise<Asked<bigint>> {
  if (asset.kind === 'token') return tokenBalance([node], sender, asset.contract, 'walletsolidity');
  const account = await node.account(sender, 'walletsolidity');
  return account.failure === undefined ? { value: account.value.balance } : account;
}
