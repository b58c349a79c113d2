// Applies the result of a chain lookup to a payout, and derives the news for its order. Pure.
import type { Chain, Sighting } from '../chains/chain.ts';
import type { Payout } from './payout.ts';

/** What a lookup means for the owner of the payout. */
export type PayoutNews =
  /** No node answered. */
  | { readonly kind: 'no_answer' }
  /** The chain has not mined the transfer; a replacement with a higher fee was sent. */
  | { readonly kind: 'stuck' }
  /** The chain answered, and the transfer is neither done nor failed. */
  | { readonly kind: 'in_progress' }
  /** The transfer has enough confirmations. */
  | { readonly kind: 'done' }
  /** A reorganisation undid a transfer that was done; the same bytes are sent again. */
  | { readonly kind: 'undone' }
  /** Mined with finality, but not as the requested transfer: nothing moved, and the slot is used up. */
  | { readonly kind: 'reverted'; readonly error: string };

export type Sighted = { readonly payout: Payout; readonly news: PayoutNews };

export function sighted(payout: Payout, sighting: Sighting, { depth }: Pick<Chain, 'depth'>): Sighted {
  if (sighting.kind !== 'mined') return notMined(payout, sighting.kind);
  const { hash, block, confirmations, outcome, isFinal } = sighting;
  const isNew = confirmations !== payout.confirmations || hash !== payout.hash;
  const idleLookups = isNew ? 0 : payout.idleLookups + 1;
  const seen: Payout = { ...payout, hash, block, confirmations, idleLookups, lastSighting: 'mined' };
  if (confirmations < depth) {
    return { payout: seen, news: { kind: payout.state === 'done' ? 'undone' : 'in_progress' } };
  }
  if (outcome !== 'transferred') {
    // A second transfer is allowed only when no reorganisation can undo this failure.
    if (!isFinal) return { payout: seen, news: { kind: 'in_progress' } };
    const error = `The chain carried the transfer out and it ${outcome === 'reverted' ? 'failed' : 'was another one'}.`;
    return { payout: { ...seen, state: 'reverted' }, news: { kind: 'reverted', error } };
  }
  return {
    payout: { ...seen, state: isFinal ? 'final' : 'done' },
    news: { kind: 'done' },
  };
}

function notMined(payout: Payout, kind: Exclude<Sighting['kind'], 'mined'>): Sighted {
  const idle: Payout = { ...payout, idleLookups: payout.idleLookups + 1, lastSighting: kind };
  if (kind === 'unknown') return { payout: idle, news: { kind: 'no_answer' } };
  // The block that held the transfer is not part of the chain any more.
  const { block: _, ...rest } = idle;
  const unmined = { ...rest, confirmations: 0 };
  if (payout.state === 'done') return { payout: unmined, news: { kind: 'undone' } };
  if (kind === 'stuck') return { payout: unmined, news: { kind: 'stuck' } };
  // The chain answers again: reset the backoff.
  const isBack = payout.lastSighting === 'unknown';
  return { payout: isBack ? { ...unmined, idleLookups: 0 } : unmined, news: { kind: 'in_progress' } };
}
