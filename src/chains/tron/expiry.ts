// Proves that attempts can never be executed. Attempts on Tron share no nonce: two valid ones would pay twice, so a new one may be signed
// only when no block can include the earlier ones any more, and none has.
//
// A block takes a transaction only if its parent's time is before the expiration (`validateCommon` in Manager.java of
// java-tron). So once a solidified block is past it, a block that took the attempt is solidified too, and a lookup in
// the solidified chain finds it.
import type { AbsenceProof } from './absence.ts';
import type { TronBlock } from './answers.ts';
import type { AttemptFacts } from './attempt-bytes.ts';
import type { Node } from './nodes.ts';
import type { Asked } from './provider.ts';
import type { View } from './view.ts';

/** One address may stand for many nodes, some of them lagging: the head must be past the expiration by this much. */
const LAG_MARGIN_MS = 60_000;
/** A reference names the last sixteen bits of a height. */
const REFERENCE_CYCLE = 2 ** 16;
/** How far back the block of a reference is searched for: about a month. */
const MAX_CYCLES = 14;
/** A transaction names a block of at most this long before its expiration (`MAXIMUM_TIME_UNTIL_EXPIRATION`, and its lag). */
const MAX_LIFE_MS = 25 * 60 * 60 * 1_000;

/** Whether the solidified chain of this node is past every attempt. */
export function isPastAll({ solid }: View, attempts: readonly AttemptFacts[]): boolean {
  return attempts.every(({ expirationMs }) => solid.timeMs > expirationMs + LAG_MARGIN_MS);
}

/** What a node that is asked alone must show in place of a second one. */
const NAME_TWO = 'a second provider, or one that shows its blocks, can prove it';

/**
 * True when the node shows that no attempt was executed; false when one was; a failure when it cannot say. With `absence` its index does
 * not suffice: its blocks must not contain the attempts either.
 */
export async function showsNone(
  { node, solid }: View,
  attempts: readonly AttemptFacts[],
  absence?: AbsenceProof,
): Promise<Asked<boolean>> {
  for (const attempt of attempts) {
    const reference = await referenceOf(node, attempt, solid.number);
    if (reference.failure !== undefined) return reference;
    if (reference.value === 'absent') return { failure: `${node.name} has no blocks from the time of an attempt` };
    const info = await node.info('walletsolidity', attempt.hash);
    if (info.failure !== undefined) return info;
    const ret = await node.contractRet('walletsolidity', attempt.hash);
    if (ret.failure !== undefined) return ret;
    if (info.value !== 'absent' || ret.value !== 'absent') return { value: false };
    const proof = await absence?.(node, attempt, { reference: reference.value, solid });
    if (proof?.failure !== undefined) return { failure: `${proof.failure}; ${NAME_TWO}` };
    if (proof?.value === false) return proof;
  }
  return { value: true };
}

/**
 * An empty answer proves nothing at a node that keeps only the last days. It must still have the block at the height that
 * the attempt names, from shortly before the expiration. If its hash differs, no block of this chain can have included the attempt either.
 */
async function referenceOf(
  node: Node,
  { expirationMs, refBlockBits }: AttemptFacts,
  solidNumber: number,
): Promise<Asked<TronBlock | 'absent'>> {
  let number = solidNumber - ((solidNumber - refBlockBits + REFERENCE_CYCLE) % REFERENCE_CYCLE);
  for (let cycle = 0; cycle < MAX_CYCLES && number > 0; cycle++) {
    const block = await node.block('walletsolidity', number);
    if (block.failure !== undefined) return block;
    if (block.value === 'absent') return block;
    if (block.value.timeMs < expirationMs) {
      return block.value.timeMs >= expirationMs - MAX_LIFE_MS ? block : { value: 'absent' };
    }
    number -= REFERENCE_CYCLE;
  }
  return { value: 'absent' };
}
