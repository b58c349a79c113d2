// The transfers that a sender made since a given time. No node keeps a list of them, so every block since then is read.
import { setTimeout as wait } from 'node:timers/promises';
import type { ChainHistory } from '../chain.ts';
import type { TronTokens } from './assets.ts';
import { hexAddress } from './hex-address.ts';
import { tron } from './network.ts';
import { firstAnswer, type Node } from './nodes.ts';
import type { Asked } from './provider.ts';
import { type ReadBlocks, readTransfersOf } from './read-blocks.ts';
import { LIFE_MS } from './sign.ts';

/** A block of the main network has some hundred kilobytes of JSON. */
const BLOCKS_A_CALL = 10;
const CALLS_AT_ONCE = 4;
/** A provider that refuses over its quota answers again after half a minute. */
const TRIES = 5;
const TRY_AGAIN_MS = 31_000;
/** The validity of a transaction begins at the time of a block, which may be ahead of the signer's clock. */
const CLOCK_MARGIN_MS = 60_000;

/** Undefined when a block is shown by no node. The solidified chain has no forks, so each block may come from another node. */
export async function historyOf(
  nodes: readonly Node[],
  tokens: TronTokens,
  sender: string,
  since: Date,
): Promise<ChainHistory | undefined> {
  const newest = await firstAnswer(nodes, node => node.solid());
  if (newest.failure !== undefined) return undefined;
  const { number: last, timeMs } = newest.value;
  const read = readTransfersOf(new Set([hexAddress(sender)]), tokens);
  const transfers: ChainHistory['transfers'][number][] = [];
  const ranges = rangesOf(firstSince(newest.value, since), last);
  for (let done = 0; done < ranges.length; done += CALLS_AT_ONCE) {
    const some = ranges.slice(done, done + CALLS_AT_ONCE);
    // A network that shows nothing at all is not asked for minutes.
    const tries = done === 0 ? 1 : TRIES;
    const found = await Promise.all(
      some.map(([from, to]) => patiently(tries, () => firstAnswer(nodes, node => node.blocks(from, to, read)))),
    );
    for (const one of found) {
      if (one.failure !== undefined) return undefined;
      transfers.push(...one.value.transfers);
    }
  }
  return { transfers, completeUntil: new Date(timeMs - LIFE_MS - CLOCK_MARGIN_MS) };
}

/** A block takes at least one slot of time, so no block after the given time is below this one. */
function firstSince({ number, timeMs }: { readonly number: number; readonly timeMs: number }, since: Date): number {
  const slots = Math.ceil((timeMs - since.getTime()) / tron.blockMs);
  return Math.max(number - Math.max(slots, 0), 1);
}

function rangesOf(first: number, last: number): (readonly [number, number])[] {
  const count = Math.ceil((last - first + 1) / BLOCKS_A_CALL);
  return Array.from({ length: count }, (_, index) => {
    const from = first + index * BLOCKS_A_CALL;
    return [from, Math.min(from + BLOCKS_A_CALL - 1, last)] as const;
  });
}

async function patiently(tries: number, ask: () => Promise<Asked<ReadBlocks>>): Promise<Asked<ReadBlocks>> {
  for (let tried = 1; ; tried++) {
    const asked = await ask();
    if (asked.failure === undefined || tried >= tries) return asked;
    await wait(TRY_AGAIN_MS);
  }
}
