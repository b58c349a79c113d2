// Compares the providers' count of a sender's slots with the slots that the books gave out. Pure. A count above the books means
// that the key was used elsewhere, or by this service before its database went back. Then no slot is taken: what
// the chain has paid would be paid again.
import type { SlotCount, SlotCounts } from '../../chains/chain.ts';

type SlotsVerdict =
  /** All slots below `used` may be used in blocks. */
  | { readonly kind: 'go'; readonly used: bigint }
  /** It ends by itself when the providers agree, or a pool is empty. */
  | { readonly kind: 'wait'; readonly message: string }
  /** A person must look. */
  | { readonly kind: 'halt'; readonly message: string };

export const WHAT_TO_DO =
  'Was the database restored, or did a standby take over? Run trilho ledger check --chains, settle each transaction that the chain has paid (trilho payouts settle <transaction id> --as paid --hash <hash>), then trilho payouts resume <network> <sender>.';
const OLDER = 'the books are older than the chain, or the key is used elsewhere';

/** The counts must be read before the books: bytes are saved before they are sent, so the books then have everything that the chain shows. */
export function judgeCounts(counts: SlotCounts, nextNonce: bigint): SlotsVerdict {
  const trusted = trustedOf(counts);
  const above = trusted.filter(({ mined }) => mined > nextNonce);
  if (above.length >= counts.quorum) {
    const used = above.map(({ mined }) => mined).toSorted((a, b) => (a < b ? 1 : -1))[counts.quorum - 1]!;
    return {
      kind: 'halt',
      message: `The chain has used the slots below ${used}, and the books gave out those below ${nextNonce}: ${OLDER}. ${WHAT_TO_DO}`,
    };
  }
  if (above.length > 0) {
    const others = trusted.filter(({ mined }) => mined <= nextNonce);
    const against =
      others.length === 0 ? 'no other answers' : `${namesOf(others)} ${others.length === 1 ? 'does' : 'do'} not`;
    return {
      kind: 'wait',
      message: `${namesOf(above)} shows slots as used that the books never gave out, and ${against}.`,
    };
  }
  const pooled = trusted.filter(one => one.pooled > nextNonce);
  if (pooled.length > 0) {
    return {
      kind: 'wait',
      message: `A transaction of the sender that is not in the books waits in the pool of ${namesOf(pooled)}: ${OLDER}.`,
    };
  }
  return { kind: 'go', used: trusted.reduce((most, { mined }) => (mined > most ? mined : most), 0n) };
}

/** Why a sender is halted when a slot of ours was used up by something else. */
export function takenMessage({ id, nonce }: { readonly id: string; readonly nonce: bigint }): string {
  return `The slot ${nonce} of payout ${id} was used by a transaction that is not in the books: ${OLDER}. ${WHAT_TO_DO}`;
}

/** Why a sender is halted that has used slots which were never given out. */
export function usedElsewhereMessage(usedSlots: bigint): string {
  return `Final blocks have used the slots below ${usedSlots}, and the books gave out fewer: ${OLDER}. ${WHAT_TO_DO}`;
}

/** The providers that a quorum of others contradicts: they count more slots as used than blocks up to the same height hold. */
export function overruledOf({ quorum, said }: SlotCounts): SlotCount[] {
  return said.filter(
    one => said.filter(other => other.head >= one.head && other.mined < one.mined).length >= Math.max(quorum, 2),
  );
}

/** The most slots that a provider counts as used, or has in its pool; undefined when none answers. */
export function mostOf(counts: SlotCounts): bigint | undefined {
  return trustedOf(counts)
    .map(({ mined, pooled }) => (pooled > mined ? pooled : mined))
    .toSorted((a, b) => (a < b ? 1 : -1))[0];
}

function trustedOf(counts: SlotCounts): readonly SlotCount[] {
  const overruled = overruledOf(counts);
  return counts.said.filter(one => !overruled.includes(one));
}

const namesOf = (said: readonly SlotCount[]) => said.map(({ provider }) => provider).join(' and ');
