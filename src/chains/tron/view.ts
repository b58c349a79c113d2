// What one node shows of the attempts at a transfer. Heads are read first: what is found later is at least as new.
import type { Block, Transfer } from '../chain.ts';
import type { TransactionInfo } from './answers.ts';
import type { TronAsset } from './assets.ts';
import type { AttemptFacts } from './attempt-bytes.ts';
import type { Heads, Node, Side } from './nodes.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Asked } from './provider.ts';

/** An attempt in a block. */
export type Found = Outcome & {
  readonly hash: string;
  readonly block: Block;
  readonly isSolid: boolean;
  readonly feeUnits: bigint;
};

export type View = Heads & {
  readonly node: Node;
  readonly found: readonly Found[];
  /** Whether an attempt waits for a block. */
  readonly isWaiting: boolean;
};

export async function viewOf(
  node: Node,
  transfer: Transfer,
  asset: TronAsset,
  attempts: readonly AttemptFacts[],
): Promise<Asked<View>> {
  const heads = await node.heads();
  if (heads.failure !== undefined) return heads;
  const found: Found[] = [];
  for (const { hash } of attempts) {
    const asked = await findMined(node, transfer, asset, hash, heads.value);
    if (asked.failure !== undefined) return asked;
    if (asked.value !== 'absent') found.push(asked.value);
  }
  const newest = attempts.at(-1);
  const isWaiting = found.length === 0 && newest ? await node.isWaiting(newest.hash) : { value: false };
  // A node that does not show its pool counts as one with an empty pool.
  return { value: { ...heads.value, node, found, isWaiting: isWaiting.failure === undefined && isWaiting.value } };
}

async function findMined(
  node: Node,
  transfer: Transfer,
  asset: TronAsset,
  hash: string,
  { solid }: Heads,
): Promise<Asked<Found | 'absent'>> {
  const newest = await node.info('wallet', hash);
  if (newest.failure !== undefined) return newest;
  if (newest.value === 'absent') return { value: 'absent' };
  const isBelowSolid = newest.value.blockNumber <= solid.number;
  const solidified = isBelowSolid ? await node.info('walletsolidity', hash) : undefined;
  if (solidified?.failure !== undefined) return solidified;
  const isSolid = solidified !== undefined && solidified.value !== 'absent';
  return isSolid
    ? readFound(node, 'walletsolidity', transfer, asset, hash, solidified.value)
    : readFound(node, 'wallet', transfer, asset, hash, newest.value);
}

async function readFound(
  node: Node,
  side: Side,
  transfer: Transfer,
  asset: TronAsset,
  hash: string,
  info: TransactionInfo,
): Promise<Asked<Found | 'absent'>> {
  const block = await node.block(side, info.blockNumber);
  if (block.failure !== undefined) return block;
  const ret = asset.kind === 'coin' ? await node.contractRet(side, hash) : undefined;
  if (ret?.failure !== undefined) return ret;
  // A fork between the two answers would pair the transaction with a block that does not hold it.
  const again = side === 'wallet' ? await node.info(side, hash) : { value: info };
  if (again.failure !== undefined) return again;
  const isSame = again.value !== 'absent' && again.value.blockNumber === info.blockNumber;
  if (!isSame || block.value === 'absent' || ret?.value === 'absent') {
    return { failure: `${node.name} contradicts itself about the block of a transaction` };
  }
  const { number, id } = block.value;
  const outcome = outcomeOf(transfer, asset, info, ret?.value);
  const isSolid = side === 'walletsolidity';
  return { value: { ...outcome, hash, block: { number, hash: id }, isSolid, feeUnits: info.feeUnits } };
}
