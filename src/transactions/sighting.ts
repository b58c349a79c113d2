// What a look at the chain means for a payout and its order. Pure.
import type { Chain, Sighting } from '../chains/chain.ts';
import { fulfilled, held, type OrderStep, resumed, reverted, SILENT, worded } from './life.ts';
import type { Payout } from './payout.ts';
import type { Order } from './transaction.ts';

/** A payout is looked after until it is too deep to come back, or burnt. */
export function isLookedAfter({ state }: Payout): boolean {
  return state === 'open' || state === 'done';
}

type Depths = Pick<Chain, 'depth' | 'finality'>;

export function lookedAt(
  order: Order,
  payout: Payout,
  sighting: Sighting,
  depths: Depths,
  now: Date,
): { payout: Payout; step?: OrderStep } {
  if (sighting.kind !== 'mined') return notMined(order, payout, sighting, now);
  const { hash, confirmations, outcome } = sighting;
  const moved = confirmations !== payout.confirmations || hash !== payout.hash;
  const seen: Payout = { ...payout, hash, confirmations, idleLooks: moved ? 0 : payout.idleLooks + 1 };
  const isDeep = confirmations >= depths.depth;
  if (!isDeep) return payout.state === 'done' ? cameBack(order, seen, now) : heard(order, seen);
  if (outcome !== 'transferred') {
    // Only what can never be undone may be followed by a second transfer.
    if (confirmations < depths.finality) return heard(order, seen);
    const words = `The chain carried the transfer out and it ${outcome === 'reverted' ? 'failed' : 'was another one'}.`;
    return { payout: { ...seen, state: 'reverted' }, step: reverted(order, words, now) };
  }
  const state = confirmations >= depths.finality ? 'final' : 'done';
  const step =
    order.status === 'fulfilling'
      ? fulfilled(order, now)
      : order.hold
        ? resumed({ ...order, settlementDate: now })
        : undefined;
  return step ? { payout: { ...seen, state }, step } : heard(order, { ...seen, state });
}

const STUCK = 'The chain has not taken the transfer yet; more was bid for it.';

function notMined(order: Order, payout: Payout, { kind }: Sighting, now: Date): { payout: Payout; step?: OrderStep } {
  const idle = { ...payout, idleLooks: payout.idleLooks + 1 };
  if (kind === 'unknown') {
    const step = worded(order, SILENT);
    return { payout: idle, ...(step && { step }) };
  }
  if (payout.state === 'done') return cameBack(order, { ...idle, confirmations: 0 }, now);
  if (kind === 'stuck') {
    const step = worded(order, STUCK);
    return { payout: { ...idle, confirmations: 0 }, ...(step && { step }) };
  }
  // Whatever was seen in a block is gone with it. A chain that answers again is looked at as often as at first.
  return heard(order, { ...idle, confirmations: 0, ...(order.lastError === SILENT && { idleLooks: 0 }) });
}

/** A chain that answers again needs no words any more. */
function heard({ lastError, ...order }: Order, payout: Payout): { payout: Payout; step?: OrderStep } {
  return { payout, ...((lastError === SILENT || lastError === STUCK) && { step: { after: order } }) };
}

/** A reorganisation undid what was deep enough: the same bytes are sent again, and the order says so meanwhile. */
function cameBack(order: Order, payout: Payout, now: Date): { payout: Payout; step?: OrderStep } {
  const lastError = 'A reorganisation undid the transfer; the same bytes were sent again.';
  const step = held({ ...order, lastError }, 'reorganised', now);
  return { payout, ...(step && { step }) };
}
