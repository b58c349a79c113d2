// The step of an order that follows from a change of its payout. Pure.
import type { Refusal } from '../payouts/engine/first-signature.ts';
import type { PayoutNews } from '../payouts/engine/sighting.ts';
import { UNSIGNED_REASONS, type UnsignedReason } from '../payouts/payout.ts';
import { NO_ANSWER } from '../payouts/policy/gate.ts';
import { held, moved, type OrderStep, resumed, sentAgain, undone, waiting, withLastError } from './life.ts';
import type { HoldReason, Order } from './order.ts';

const STUCK = 'The chain has not mined the transfer yet; the fee bid was raised.';
const EXHAUSTED = 'The chain does not mine the transfer, and the fee bid is at its limit.';
const UNDONE = 'A reorganisation undid the transfer; the same bytes were sent again.';
const REVERTED = 'The chain mined the transfer and it failed.';
const MISMATCHED = 'The chain mined the transfer, but another amount arrived than was requested.';
const VOIDED = 'The transfer was given up, and nothing moved.';
const TAKEN = 'The slot of the transfer was used by someone else who has the key.';

/** The step that a change of its payout causes, if any. `refusal`: the block or pause that holds the order now. */
export function afterPayout(order: Order, news: PayoutNews, at: Date, refusal?: Refusal): OrderStep | undefined {
  // Even if the slot is voided, the order keeps the reason why there is no transfer.
  if (isUnsigned(order) && PASSING.includes(news.kind)) return undefined;
  switch (news.kind) {
    case 'unsigned':
      return held({ ...order, lastError: news.message }, news.reason, at) ?? withLastError(order, news.message);
    case 'signable':
      return isUnsigned(order) ? signable(order, news.message, at) : undefined;
    case 'no_answer':
      return withLastError(order, news.message ?? NO_ANSWER);
    case 'stuck':
      return withLastError(order, news.message ?? STUCK);
    case 'exhausted':
      return held({ ...order, lastError: news.message ?? EXHAUSTED }, 'payout_stuck', at);
    case 'undone':
      return held({ ...order, lastError: UNDONE }, 'reorganised', at);
    case 'taken':
      return held({ ...order, lastError: TAKEN }, 'slot_taken', at);
    case 'reverted':
      return unsent(order, 'transfer_reverted', REVERTED, at);
    case 'voided':
      return news.reason ? givenUp(order, news.reason, at, refusal) : unsent(order, 'payout_voided', VOIDED, at);
    case 'mismatched':
      // Crypto has left: the commitment stays, and the money does not go back.
      return held({ ...order, lastError: MISMATCHED }, 'transfer_mismatched', at);
    case 'done':
      if (order.status === 'fulfilling') return fulfilled(order, at);
      return order.hold ? resumed({ ...order, settlementDate: at }) : answered(order);
    case 'in_progress':
      if (news.isMined && order.hold && MINED_ENDS.includes(order.hold.reason)) return resumed(order);
      if (news.message !== undefined) return withLastError(order, news.message);
      // A new bid waits for a block like the previous one.
      return order.lastError === STUCK && !news.isMined ? undefined : answered(order);
  }
}

const PASSING: readonly PayoutNews['kind'][] = ['no_answer', 'stuck', 'exhausted', 'in_progress'];

function isUnsigned({ hold }: Order): boolean {
  return UNSIGNED_REASONS.some(reason => reason === hold?.reason);
}

function signable(order: Order, message: string | undefined, at: Date): OrderStep {
  const { after, event } = order.status === 'fulfilled' ? undone(order, at) : resumed(order);
  return { after: { ...after, ...(message !== undefined && { lastError: message }) }, ...(event && { event }) };
}

/**
 * Its slot is void. The order returns to the line once its block is lifted, or during a pause, to wait with the others. While the wallet
 * is blocked, or when the network refused the transfer itself, an operator decides.
 */
function givenUp(order: Order, reason: UnsignedReason, at: Date, refusal: Refusal | undefined): OrderStep {
  const { commitment: _, ...rest } = order;
  if (reason === 'transfer_refused' || refusal?.reason === 'wallet_refused') {
    const staying = refusal?.reason ?? reason;
    if (order.hold?.reason === staying) return { after: rest };
    return unsent(order, staying, refusal?.message ?? order.lastError ?? VOIDED, at);
  }
  if (!refusal) return sentAgain(rest, at);
  const inLine = { ...rest, waitsSince: at };
  return waiting(inLine, { reason: 'payouts_paused', message: refusal.message }, at) ?? { after: inLine };
}

/** Holds that end if the transfer turns out to be in a block. */
const MINED_ENDS: readonly HoldReason[] = ['payout_stuck', 'slot_taken'];

/** The chain answers again: clear the error, unless it says why the order is on hold. */
function answered({ lastError, ...order }: Order): OrderStep | undefined {
  if (lastError === undefined) return undefined;
  return !order.hold || lastError === NO_ANSWER || lastError === STUCK ? { after: order } : undefined;
}

/** The transfer has enough confirmations. */
function fulfilled(order: Order, at: Date): OrderStep {
  const { hold: _, lastError: __, ...rest } = moved(order, 'fulfilled');
  return { after: { ...rest, settlementDate: at }, event: 'fulfilled' };
}

/** It is certain that nothing left: the commitment is released until an operator decides. */
function unsent(order: Order, reason: HoldReason, lastError: string, at: Date): OrderStep {
  const { commitment: _, ...rest } = order;
  return { after: { ...rest, lastError, hold: { reason, at } }, event: 'held' };
}
