// Whether a node still has the transactions of a given time. Nodes prune old data, and one that has pruned a transfer shows no receipt, as
// if it had never been made.
import { readBlockTransactions, readHead, readReceipt } from './read.ts';
import { replyValue, type View } from './watch.ts';

/** Blocks of a busy network are never empty; a test node may have made many empty ones. */
const MOST_EMPTY = 64n;

/** True when the provider has the receipt of a transaction from before `since`, or of the first one on a network that is younger. */
export async function remembers(view: View, since: Date): Promise<boolean> {
  const start = await newestBlockUntil(view, since);
  if (start === undefined) return false;
  const older = await receiptNear(view, start, -1n);
  return older ?? (start < MOST_EMPTY && ((await receiptNear(view, start + 1n, 1n)) ?? false));
}

/** The newest block that is not after a time, or the first one of all; undefined when the provider does not show them. */
export async function newestBlockUntil({ provider, head }: View, time: Date): Promise<bigint | undefined> {
  const seconds = BigInt(Math.floor(time.getTime() / 1_000));
  let [low, high] = [0n, head.number];
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    const block = replyValue(await provider.ask('eth_getBlockByNumber', [hexOf(middle), false], readHead));
    if (!block) return undefined;
    if (block.timestamp <= seconds) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** Whether the provider has the receipt of the first transaction from a block on; undefined when there is no transaction near. */
async function receiptNear({ provider, head }: View, from: bigint, step: 1n | -1n): Promise<boolean | undefined> {
  for (let count = 0n; count < MOST_EMPTY; count++) {
    const number = from + count * step;
    if (number < 0n || number > head.number) return undefined;
    const place = [hexOf(number), false];
    const hashes = replyValue(await provider.ask('eth_getBlockByNumber', place, readBlockTransactions));
    if (!hashes) return false;
    const [hash] = hashes;
    if (hash === undefined) continue;
    const receipt = replyValue(await provider.ask('eth_getTransactionReceipt', [hash], readReceipt));
    return receipt?.transactionHash === hash;
  }
  return undefined;
}

function hexOf(number: bigint): string {
  return `0x${number.toString(16)}`;
}
