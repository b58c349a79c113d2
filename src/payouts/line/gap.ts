// A gap in the slots of a sender: the chain waits for a slot that nothing of ours uses, so nothing after it is mined. It comes from a
// first nonce that a provider named too high, or from a reorganisation that dropped the transactions of another program. Pure.
import type { SlotCounts } from '../../chains/chain.ts';

/** From which slot on a gap is looked for: what any provider counts is used, or will be. Undefined when too few answer. */
export function firstUnused({ quorum, said }: SlotCounts): bigint | undefined {
  if (said.length < quorum) return undefined;
  return said.reduce((most, { mined, pooled }) => [mined, pooled].reduce((a, b) => (a > b ? a : b), most), 0n);
}

export function gapMessage(network: string, sender: string, slots: readonly bigint[]): string {
  const which = slots.length === 1 ? `slot ${slots[0]} of ${sender} is` : `slots ${slots.join(', ')} of ${sender} are`;
  return `The ${which} used by nothing, so nothing after that is mined: trilho payouts fill-gap --network ${network}`;
}
