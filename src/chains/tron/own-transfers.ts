// The transfers that our senders made in the last minutes, from every block up to the newest. Tron has no nonces, so only the blocks show
// what left after a database went back. One reader for each process goes on where it stopped.
import type { OwnTransfer } from '../chain.ts';
import type { TronTokens } from './assets.ts';
import { hexAddress } from './hex-address.ts';
import { tron } from './network.ts';
import { firstAnswer, type Heads, type Node, type Side } from './nodes.ts';
import type { Reader } from './provider.ts';
import { type ReadBlocks, type ReadTransfer, readTransfersOf } from './read-blocks.ts';

const { blockMs } = tron;
/** How far back the first look goes, and how long what was found is kept. */
const WINDOW_BLOCKS = (15 * 60_000) / blockMs;
const KEPT_BLOCKS = (60 * 60_000) / blockMs;
/** Blocks above the solidified chain. */
const FORK_BLOCKS = 27;
const BLOCKS_A_CALL = 10;
const CALLS_AT_ONCE = 4;

type State = {
  /** Blocks up to here were read, of each side. */
  solid: number;
  head: number;
  /** With the head at which each was found. */
  readonly found: Map<string, { readonly transfer: ReadTransfer; readonly head: number }>;
  reading?: Promise<readonly ReadTransfer[] | undefined>;
};

type OwnTransfers = (sender: string) => Promise<readonly OwnTransfer[] | undefined>;

/** Callers at the same time share one reading. */
export function ownTransfersOf(nodes: readonly Node[], tokens: TronTokens, senders: readonly string[]): OwnTransfers {
  const state: State = { solid: 0, head: 0, found: new Map() };
  const read = readTransfersOf(new Set(senders.map(hexAddress)), tokens);
  return async sender => {
    state.reading ??= readNew(nodes, read, state).finally(() => {
      delete state.reading;
    });
    const own = hexAddress(sender);
    return (await state.reading)?.flatMap(({ from, ...transfer }) => (from === own ? [transfer] : []));
  };
}

/** Up to the newest head whose blocks are shown: a node that reports a head which no node has does not stop the others. */
async function readNew(
  nodes: readonly Node[],
  read: Reader<ReadBlocks>,
  state: State,
): Promise<readonly ReadTransfer[] | undefined> {
  const asked = await Promise.all(nodes.map(node => node.heads()));
  const heads = asked.flatMap(({ failure, ...rest }) => (failure === undefined && 'value' in rest ? [rest.value] : []));
  const newest = heads.toSorted((a, b) => b.head.number - a.head.number);
  const [top] = newest;
  // A single node may name a head, and show blocks, that not enough others have.
  const isBack = top !== undefined && top.head.number < state.head - FORK_BLOCKS;
  if (isBack && heads.length >= Math.min(2, nodes.length)) [state.solid, state.head] = [0, 0];
  const isTold = newest.filter(({ head }, index) => head.number !== newest[index - 1]?.head.number);
  for (const one of isTold)
    if (await readUpTo(nodes, read, state, one)) return [...state.found.values()].map(({ transfer }) => transfer);
  return undefined;
}

/**
 * Blocks that a fork may still replace are read as they come, and once more when they are solidified, in whole calls. What was read
 * is kept when a later block cannot be read.
 */
async function readUpTo(
  nodes: readonly Node[],
  read: Reader<ReadBlocks>,
  state: State,
  { head, solid }: Heads,
): Promise<boolean> {
  // No fork goes back so far: a node that lags does not show the newest blocks.
  if (head.number < state.head - FORK_BLOCKS) return false;
  const first = Math.max(head.number - WINDOW_BLOCKS, 1);
  const take = async (side: Side, from: number, to: number, upTo: 'solid' | 'head'): Promise<boolean> => {
    const ranges = rangesOf(from, to);
    for (let done = 0; done < ranges.length; done += CALLS_AT_ONCE) {
      const some = ranges.slice(done, done + CALLS_AT_ONCE);
      const found = await Promise.all(
        some.map(([low, high]) => firstAnswer(nodes, node => node.blocks(low, high, read, side))),
      );
      for (const [index, one] of found.entries()) {
        if (one.failure !== undefined) return false;
        for (const transfer of one.value.transfers) state.found.set(transfer.hash, { transfer, head: head.number });
        state[upTo] = some[index]![1];
      }
    }
    return true;
  };
  const solidFrom = Math.max(state.solid + 1, first);
  const isSolidDue = state.solid < first || solid.number - state.solid >= BLOCKS_A_CALL;
  if (isSolidDue && !(await take('walletsolidity', solidFrom, solid.number, 'solid'))) return false;
  const headFrom = Math.max(state.head + 1, state.solid + 1, first);
  if (!(await take('wallet', headFrom, head.number, 'head'))) return false;
  for (const [hash, one] of state.found) if (one.head < head.number - KEPT_BLOCKS) state.found.delete(hash);
  return true;
}

function rangesOf(first: number, last: number): (readonly [number, number])[] {
  const count = Math.max(Math.ceil((last - first + 1) / BLOCKS_A_CALL), 0);
  return Array.from({ length: count }, (_, index) => {
    const from = first + index * BLOCKS_A_CALL;
    return [from, Math.min(from + BLOCKS_A_CALL - 1, last)] as const;
  });
}

/** Whether enough nodes show a transaction in a block. */
export async function isShownBy(nodes: readonly Node[], hash: string): Promise<boolean> {
  const asked = await Promise.all(nodes.map(node => node.info('wallet', hash)));
  const showing = asked.filter(one => one.failure === undefined && one.value !== 'absent');
  return showing.length >= Math.min(2, nodes.length);
}
