// Proves from whole blocks that attempts were never executed. With a single provider an empty answer of its index proves nothing: an index
// that lags or lost its data answers the same. All blocks of the time in which an attempt could be included must be shown, and none may
// contain it.
import { valueAt } from '../../lib/exact-json.ts';
import { readBlock, type TronBlock } from './answers.ts';
import type { AttemptFacts } from './attempt-bytes.ts';
import type { Node } from './nodes.ts';
import type { Asked, Reader } from './provider.ts';

/** A solidified block with the ids of its transactions. */
type FullBlock = TronBlock & { readonly parentId: string; readonly hashes: ReadonlySet<string> };
type FullBlocks = { readonly numbers: readonly number[]; readonly blocks: readonly FullBlock[] };

/** True when no block has the attempt; false when one has it; a failure when the blocks do not show it. */
export type AbsenceProof = (
  node: Node,
  attempt: AttemptFacts,
  window: { readonly reference: TronBlock; readonly solid: TronBlock },
) => Promise<Asked<boolean>>;

const BLOCKS_A_CALL = 10;
const CALLS_AT_ONCE = 4;
/** An attempt is valid for six minutes, 120 blocks; one with a longer validity, from another version, is left to a person. */
const MAX_BLOCKS = 1_200;
/** Attempts of the same time need the same blocks, and a signature needs those of the lookup before it. */
const KEPT_CALLS = 40;

const ID = /^[0-9a-f]{64}$/;
const ZERO_ROOT = /^0{64}$/;

export function openAbsenceProof(): AbsenceProof {
  const kept = new Map<string, Promise<Asked<FullBlocks>>>();

  function read(node: Node, from: number, to: number): Promise<Asked<FullBlocks>> {
    const key = `${node.name} ${from} ${to}`;
    const known = kept.get(key);
    if (known) return known;
    const asked = node.blocks(from, to, readFullBlocks).then(answer => {
      if (answer.failure !== undefined) kept.delete(key);
      return answer;
    });
    kept.set(key, asked);
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_CALLS) break;
      kept.delete(oldest);
    }
    return asked;
  }

  return async (node, { hash, expirationMs }, { reference, solid }) => {
    if (solid.number - reference.number > MAX_BLOCKS)
      return { failure: 'the blocks since an attempt are too many to read' };
    let previous = reference;
    for (const ranges of inTurns(rangesOf(reference.number + 1, solid.number))) {
      const answers = await Promise.all(ranges.map(([from, to]) => read(node, from, to)));
      for (const answer of answers) {
        if (answer.failure !== undefined) return answer;
        for (const block of answer.value.blocks) {
          if (block.number <= previous.number) continue;
          if (block.parentId !== previous.id)
            return { failure: `${node.name} shows blocks that do not follow each other` };
          if (block.hashes.has(hash)) return { value: false };
          // A block takes an attempt while its parent is before the expiration, so this one may still have it and the next may not.
          if (block.timeMs >= expirationMs) return { value: true };
          previous = block;
        }
      }
    }
    return { failure: `${node.name} does not show a block past the expiration of an attempt` };
  };
}

/** At heights that all attempts share, so that one reading serves the others. */
function rangesOf(first: number, last: number): (readonly [number, number])[] {
  const start = first - (first % BLOCKS_A_CALL);
  const count = Math.ceil((last - start + 1) / BLOCKS_A_CALL);
  return Array.from({ length: count }, (_, index) => {
    const from = start + index * BLOCKS_A_CALL;
    return [from, Math.min(from + BLOCKS_A_CALL - 1, last)] as const;
  });
}

function* inTurns<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let done = 0; done < all.length; done += CALLS_AT_ONCE) yield all.slice(done, done + CALLS_AT_ONCE);
}

/** A transaction without an id, or a block without transactions whose header says that it has some, makes the answer unreadable. */
const readFullBlocks: Reader<FullBlocks> = answer => {
  const given = listAt(answer, 'block') ?? [];
  const blocks = given.map(readFullBlock);
  if (!blocks.every(block => block !== undefined)) return undefined;
  return { numbers: blocks.map(({ number }) => number), blocks };
};

function readFullBlock(given: unknown): FullBlock | undefined {
  const head = readBlock(given);
  const parentId = valueAt(given, ['block_header', 'raw_data', 'parentHash']);
  const root = valueAt(given, ['block_header', 'raw_data', 'txTrieRoot']);
  const transactions = listAt(given, 'transactions') ?? [];
  const hashes = transactions.map(transaction => valueAt(transaction, ['txID']));
  if (!head || head === 'absent' || typeof parentId !== 'string' || typeof root !== 'string') return undefined;
  if (ZERO_ROOT.test(root) !== (hashes.length === 0) || !hashes.every(isId)) return undefined;
  return { ...head, parentId, hashes: new Set(hashes) };
}

const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);

function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : undefined;
}
