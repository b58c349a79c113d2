// Why an order is on hold, as text for people, and the acts that end the hold.
import type { Caller } from '../../accounts/caller.ts';
import type { HoldReason } from '../../orders/order.ts';
import { html, type Piece } from '../html.ts';
import { may } from './shell.ts';

type Way = 'approve' | 'reprice' | 'retry' | 'void' | 'settle' | 'refund';

export const HOLDS: Readonly<Record<HoldReason, { readonly text: string; readonly ways: readonly Way[] }>> = {
  underpaid: { text: 'Less was paid than it costs.', ways: ['reprice', 'refund'] },
  quote_expired: { text: 'The money came after the price had expired.', ways: ['reprice', 'refund'] },
  refund_pending: { text: 'A refund is under way; nothing is needed.', ways: [] },
  partially_refunded: { text: 'A part was refunded, and less is left than it costs.', ways: ['reprice', 'refund'] },
  paid_after_end: { text: 'It was paid after it had ended.', ways: ['reprice', 'refund'] },
  payouts_paused: {
    text: 'Payouts are paused; it continues by itself when the pause ends.',
    ways: ['settle', 'refund'],
  },
  over_payout_limit: {
    text: 'It exceeds the limit of one payout.',
    ways: ['approve', 'retry', 'reprice', 'refund'],
  },
  approval_needed: { text: 'A second person must approve it.', ways: ['approve', 'reprice', 'refund'] },
  over_day_limit: {
    text: 'The limit of 24 hours is reached; it continues by itself when it fits.',
    ways: ['refund'],
  },
  wallet_refused: { text: 'The wallet may no longer be used.', ways: ['retry', 'reprice', 'refund'] },
  transfer_refused: {
    text: 'The network says the transfer would fail. It was not started, and is checked again every few minutes.',
    ways: ['retry', 'reprice', 'refund'],
  },
  fee_too_high: {
    text: 'The network fee is above its cap; it continues by itself when the fee has fallen.',
    ways: ['refund'],
  },
  no_funds: { text: 'The sender has too little; it continues by itself when there are funds.', ways: ['refund'] },
  payout_stuck: { text: 'The transfer is in no block.', ways: ['void'] },
  slot_taken: {
    text: 'The slot was used elsewhere with the key of the sender. The sender is halted.',
    ways: ['settle', 'void'],
  },
  payout_voided: { text: 'The transfer was given up; nothing moved.', ways: ['retry', 'reprice', 'refund'] },
  transfer_reverted: {
    text: 'The transfer failed on the chain; nothing moved.',
    ways: ['retry', 'reprice', 'refund'],
  },
  transfer_mismatched: { text: 'Another amount arrived than was sent. Crypto has left.', ways: ['settle'] },
  reorganised: {
    text: 'The chain dropped the block of the transfer. It is looked up until the outcome is final.',
    ways: [],
  },
};

type Held = { readonly transactionId: string; readonly holdReason?: HoldReason; readonly chargeId?: string };

/** Buttons for what the person may do about a hold. */
export function waysOut(caller: Caller | undefined, { transactionId, holdReason, chargeId }: Held): Piece {
  if (holdReason === undefined) return undefined;
  const at = `/dashboard/orders/${transactionId}`;
  const button = (href: string, label: string) => html`<a class="button secondary small" href="${href}">${label}</a> `;
  const { ways } = HOLDS[holdReason];
  return [
    ways.includes('approve') && may(caller, 'payouts:approve') && button(`${at}/approve`, 'Approve'),
    ways.includes('reprice') && may(caller, 'transactions:write') && button(`${at}/reprice`, 'New price'),
    ways.includes('retry') && may(caller, 'transfers:write') && button(`${at}/retry`, 'Retry'),
    ways.includes('void') && may(caller, 'transfers:write') && button(`${at}/void`, 'Give up transfer'),
    ways.includes('settle') && may(caller, 'transfers:write') && button(`${at}/settle`, 'Settle'),
    ways.includes('refund') &&
      chargeId !== undefined &&
      may(caller, 'refunds:write') &&
      button(`/dashboard/charges/${chargeId}/refund`, 'Refund'),
  ];
}
