// The chain itself: blocks every three seconds, pending transactions, the rules for including them, and forks of blocks that are not
// solidified.
import { createHash } from 'node:crypto';
import { execute, RESULT_BYTES, type TransactionReceipt } from './execute.ts';
import { Refusal } from './refusal.ts';
import { copyState, type Parameters, type State } from './state.ts';
import { type NodeTransaction, signerOf } from './transaction.ts';

export type Mined = { readonly transaction: NodeTransaction; readonly receipt: TransactionReceipt };

export type NodeBlock = {
  readonly number: number;
  readonly id: string;
  readonly parentId: string;
  readonly timeMs: number;
  readonly mined: readonly Mined[];
  /** The state after it. */
  readonly state: State;
};

export type Blocks = {
  head(): NodeBlock;
  solid(): NodeBlock;
  at(number: number): NodeBlock | undefined;
  find(id: string): { readonly block: NodeBlock; readonly mined: Mined } | undefined;
  waiting(): readonly NodeTransaction[];
  /** Adds a transaction to the pending ones; throws a `Refusal`. */
  push(transaction: NodeTransaction): void;
  /** Makes the block of the next slot, or of a later one. */
  produce(timeMs?: number): NodeBlock;
  /** Replaces a number of blocks at the head; their transactions are pending again, or forgotten. */
  fork(depth: number, transactions: 'wait' | 'forgotten'): void;
  /** Changes the state as if it had always been so: to fund accounts and set tokens. */
  amend(change: (state: State) => void): void;
};

export const SLOT_MS = 3_000;
/** Two thirds of the 27 producers have built upon a block that is this far below the head. */
export const SOLID_LAG = 19;
const MAX_BYTES = 500 * 1_024;
const MAX_LIFE_MS = 24 * 60 * 60 * 1_000;

export function createBlocks(first: { number: number; timeMs: number }, parameters: Parameters): Blocks {
  const genesis: State = { accounts: new Map(), tokens: new Map() };
  const blocks: NodeBlock[] = [];
  const places = new Map<string, number>();
  let salt = 0;
  let waiting: NodeTransaction[] = [];
  /** The state after the head and all pending transactions. */
  let waitingState = copyState(genesis);

  const head = () => blocks.at(-1)!;
  const at = (number: number) => blocks[number - first.number];

  function append(timeMs: number, mined: readonly Mined[], state: State): NodeBlock {
    const number = first.number + blocks.length;
    const parentId = blocks.at(-1)?.id ?? ''.padEnd(64, '0');
    const digest = createHash('sha256').update(`${parentId} ${number} ${timeMs} ${salt}`).digest('hex');
    const id = number.toString(16).padStart(16, '0') + digest.slice(16);
    const block = { number, id, parentId, timeMs, mined, state };
    blocks.push(block);
    for (const { transaction } of mined) places.set(transaction.id, number);
    return block;
  }

  /** The rules of `Manager.processTransaction`, in its order. */
  function validate(transaction: NodeTransaction, nextSlotMs: number): void {
    const { id, bytes, refBlockBytes, refBlockHash, expiration, contracts } = transaction;
    if (contracts.length !== 1) throw new Refusal('OTHER_ERROR', `tx ${id} contract size should be exactly 1`);
    requireSignature(transaction);
    const reference = recent(refBlockBytes);
    if (reference?.id.slice(16, 32) !== refBlockHash) throw new Refusal('TAPOS_ERROR', 'Tapos check error.');
    if (bytes.length + 2 * RESULT_BYTES > MAX_BYTES) {
      throw new Refusal('TOO_BIG_TRANSACTION_ERROR', `Too big transaction, the size is ${bytes.length} bytes`);
    }
    const headMs = head().timeMs;
    if (expiration < nextSlotMs || expiration <= headMs || expiration > headMs + MAX_LIFE_MS) {
      throw new Refusal('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
    }
    if (places.has(id)) throw new Refusal('DUP_TRANSACTION_ERROR', 'Dup transaction.');
  }

  /** The newest block whose height ends in these sixteen bits. */
  function recent(refBlockBytes: string): NodeBlock | undefined {
    if (!/^[0-9a-f]{4}$/.test(refBlockBytes)) return undefined;
    const { number } = head();
    const low = Number.parseInt(refBlockBytes, 16);
    return at(number - ((number - low + 65_536) % 65_536));
  }

  function rebuildWaiting(): void {
    const candidates = waiting;
    waiting = [];
    waitingState = copyState(head().state);
    for (const transaction of candidates) {
      try {
        push(transaction);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }
  }

  function push(transaction: NodeTransaction): void {
    validate(transaction, head().timeMs + SLOT_MS);
    if (waiting.some(({ id }) => id === transaction.id)) {
      throw new Refusal('DUP_TRANSACTION_ERROR', 'Dup transaction.');
    }
    const state = copyState(waitingState);
    execute(state, transaction, parameters, head().timeMs);
    waitingState = state;
    waiting.push(transaction);
  }

  function produce(timeMs = head().timeMs + SLOT_MS): NodeBlock {
    const before = head().state;
    const mined: Mined[] = [];
    let state = before;
    for (const transaction of waiting) {
      const next = copyState(state);
      try {
        validate(transaction, timeMs);
        mined.push({ transaction, receipt: execute(next, transaction, parameters, head().timeMs) });
        state = next;
      } catch (error) {
        // A producer skips what it cannot include.
        if (!(error instanceof Refusal)) throw error;
      }
    }
    const hadWaiting = waiting.length > 0;
    waiting = [];
    const block = append(timeMs, mined, state);
    if (hadWaiting) waitingState = copyState(state);
    return block;
  }

  append(first.timeMs, [], genesis);

  return {
    head,
    solid: () => at(head().number - SOLID_LAG) ?? blocks[0]!,
    at,
    find: id => {
      const block = at(places.get(id) ?? -1);
      const mined = block?.mined.find(({ transaction }) => transaction.id === id);
      return block && mined && { block, mined };
    },
    waiting: () => waiting,
    push,
    produce,
    fork: (depth, transactions) => {
      if (depth < 1 || depth > Math.min(SOLID_LAG, blocks.length - 1)) {
        throw new RangeError(`a fork replaces 1 to ${SOLID_LAG} blocks`);
      }
      const removed = blocks.splice(-depth);
      const orphans = removed.flatMap(({ mined }) => mined.map(({ transaction }) => transaction));
      for (const { id } of orphans) places.delete(id);
      salt++;
      const { state } = head();
      for (const { timeMs } of removed) append(timeMs, [], state);
      waiting = transactions === 'wait' ? [...orphans, ...waiting] : waiting;
      rebuildWaiting();
    },
    amend: change => {
      for (const state of new Set(blocks.map(block => block.state))) change(state);
      change(waitingState);
    },
  };
}

function requireSignature({ id, signatures, contracts }: NodeTransaction): void {
  const [signature, ...more] = signatures;
  const refuse = (why: string) => new Refusal('SIGERROR', `Validate signature error: ${why}`);
  if (!signature) throw refuse('miss sig or contract');
  if (more.length > 0) throw refuse(`Signature count is ${signatures.length} more than key counts of permission : 1`);
  const signer = signerOf(id, signature);
  if (signer !== contracts[0]?.owner) {
    throw refuse(`${signature.toString('hex')} is signed by ${signer} but it is not contained of permission.`);
  }
}
