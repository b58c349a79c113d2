// The state transitions of an order as pure functions of the order, its charge and the time. The caller applies `nextStep`
// until no step is due, so the result does not depend on how often, or in which order, notifications arrive.
import assert from 'node:assert/strict';
import type { Approval } from '../accounts/approvals.ts';
import type { Charge } from '../charges/charge.ts';
import { divideUp, parseUnits } from '../lib/decimals.ts';
import { type Money, moneyOf } from './money.ts';
import {
  type Commitment,
  type Ending,
  type HoldReason,
  type Order,
  type OrderEvent,
  STATUS_TRANSITIONS,
  type Status,
} from './order.ts';
import { type SettlementRules, settlementAt } from './settlement.ts';

/** The order after a step and its event; no event when only `lastError` changed. */
export type OrderStep = { readonly after: Order; readonly event?: OrderEvent };

type StepContext = {
  readonly charge: Charge | undefined;
  /** The wallet of the order was not removed. An order that has ended is reopened only if this is true. */
  readonly hasWallet?: boolean;
  readonly rules: SettlementRules;
  readonly now: Date;
  /** Generates the id of a commitment. */
  readonly newId: () => string;
};

/** The next step that is due, if any. */
export function nextStep(order: Order, context: StepContext): OrderStep | undefined {
  const { charge, now } = context;
  if (!charge) return hasLapsed(order, now) ? ended(order, 'expired', now) : undefined;
  const money = moneyOf(charge, order.dueCents ?? charge.payableCents);
  if (order.ended) return afterEnd(order, money, context);
  // Crypto was lost on this order: regardless of the refund, no more is sent.
  if (order.settledAs === 'returned') return money.isRefunded ? ended(order, 'refunded', now) : undefined;
  switch (order.status) {
    case 'pending_payment':
      if (money.cameCents > 0n) return { after: moved(order, 'pending_fulfillment'), event: 'pending_fulfillment' };
      return money.end && ended(order, money.end, now);
    case 'pending_fulfillment':
    case 'fulfillment_scheduled':
      return towardsSettlement(order, money, context);
    default:
      return isUnsent(order) ? towardsAnotherTransfer(order, money, now) : undefined;
  }
}

/** Holds that an operator ends, of orders whose crypto has not left. */
const UNSENT_HOLDS: readonly HoldReason[] = [
  'over_payout_limit',
  'approval_needed',
  'wallet_refused',
  'transfer_refused',
  'payout_voided',
  'transfer_reverted',
];
/** Holds that end when the kept money matches the price. */
const MONEY_HOLDS: readonly HoldReason[] = ['underpaid', 'quote_expired', 'refund_pending', 'partially_refunded'];

/** Whether the crypto of an earlier claim has not left, so that the money may be refunded. */
function isUnsent(order: Order): boolean {
  const { waitsSince, hold } = order;
  if (hasSlot(order)) return false;
  return waitsSince !== undefined || (hold !== undefined && [...UNSENT_HOLDS, ...MONEY_HOLDS].includes(hold.reason));
}

/** Whether its payout is still open: from the claim until it is certain that nothing left. */
export function hasSlot({ status, commitment }: Order): boolean {
  return isPastClaim({ status }) && commitment !== undefined;
}

/** An order whose first transfer moved nothing, and whose payment may have been refunded since. */
function towardsAnotherTransfer(order: Order, money: Money, now: Date): OrderStep | undefined {
  if (money.isRefunded) return ended(order, 'refunded', now);
  if (!order.waitsSince && order.hold && UNSENT_HOLDS.includes(order.hold.reason)) return undefined;
  const reason = holdReasonOf(order, money);
  if (reason) return held(outOfLine(order), reason, now);
  return order.hold && MONEY_HOLDS.includes(order.hold.reason) ? sentAgain(order, now) : undefined;
}

/** An order without a charge cannot be paid, and it gets no charge once its price has expired. */
function hasLapsed({ status, ended: end, quote }: Order, now: Date): boolean {
  return status === 'pending_payment' && end === undefined && quote !== undefined && quote.expiresAt <= now;
}

/** How long after the end of its price a reported payment still reopens an order: banks send notifications late. */
const REPORTED_LATE_MS = 3_600_000;

function afterEnd(order: Order, money: Money, context: StepContext): OrderStep | undefined {
  const { now } = context;
  if (isPaidInTime(order, money, context)) {
    const { ended: _, ...rest } = order;
    return { after: moved(rest, 'pending_fulfillment'), event: 'pending_fulfillment' };
  }
  if (money.keptCents > 0n) return held(order, 'paid_after_end', now);
  const isRecorded = order.ended?.as === 'refunded' && !order.hold;
  return money.isRefunded && !isRecorded ? ended(order, 'refunded', now) : undefined;
}

/**
 * Whether a bank reports, soon after the end, a payment that was made while the price was valid. Such an order is reopened. A person
 * could backdate a payment to get an old, better price, so an operator decides about payments that people report.
 */
function isPaidInTime(order: Order, money: Money, { charge, hasWallet, now }: StepContext): boolean {
  const { ended: end, hold, quote } = order;
  if (end?.as !== 'expired' || hold || !quote || !hasWallet || !charge || money.cameCents === 0n) return false;
  const isByBank = charge.payments.every(({ source }) => source === 'bank' || source === 'sandbox');
  const isSoon = now.getTime() <= quote.expiresAt.getTime() + REPORTED_LATE_MS;
  return isByBank && isSoon && !holdReasonOf(order, money);
}

function towardsSettlement(order: Order, money: Money, context: StepContext): OrderStep | undefined {
  const { rules, now } = context;
  if (money.isRefunded) return ended(order, 'refunded', now);
  const reason = holdReasonOf(order, money);
  if (reason) return held(outOfLine(order), reason, now);
  if (order.hold && MONEY_HOLDS.includes(order.hold.reason)) return resumed(order);
  // It stands in line, or an operator decides.
  if (order.waitsSince || order.hold) return undefined;
  if (!money.availableAt || money.availableAt > now) return undefined;
  if (order.status === 'fulfillment_scheduled') {
    return order.settlementDate <= now ? inLine(order, now) : undefined;
  }
  // An order of a charge that was paid before is newer than its money.
  const { repricedAt: priced = order.createdAt } = order;
  const countsFrom = priced > money.availableAt ? priced : money.availableAt;
  const settlementDate = settlementAt(order.settlementSchedule, countsFrom, rules);
  if (order.settlementSchedule === 'D0' && settlementDate <= now) {
    return inLine({ ...order, settlementDate }, now);
  }
  const scheduled = { ...moved(order, 'fulfillment_scheduled'), settlementDate };
  return { after: withCommitment(scheduled, context), event: 'fulfillment_scheduled' };
}

/** Why the received money does not meet the terms of the price, if it does not. */
export function holdReasonOf({ dueCents = 0n, quote }: Order, money: Money): HoldReason | undefined {
  if (money.cameCents < dueCents) return 'underpaid';
  if (money.keptCents < dueCents) return money.isRefundPending ? 'refund_pending' : 'partially_refunded';
  // The price is valid only for a payment in time.
  return money.fullyPaidAt && quote && money.fullyPaidAt > quote.expiresAt ? 'quote_expired' : undefined;
}

/** The crypto is due: the order waits until the job `order.claim` gives it a slot. */
function inLine({ lastError: _, ...order }: Order, now: Date): OrderStep {
  return { after: { ...order, waitsSince: now } };
}

function outOfLine({ waitsSince: _, notBefore: __, ...order }: Order): Order {
  return order;
}

/** The transaction that writes this step also takes a slot for the payout. An order that is sent again keeps its status. */
export function claimed(order: Order, context: StepContext): OrderStep {
  const committed = withCommitment(outOfLine(order), context);
  if (committed.status === 'fulfilled') return committed.hold ? { after: committed } : undone(committed, context.now);
  const { lastError: _, ...rest } = committed;
  return rest.status === 'fulfilling' ? { after: rest } : { after: moved(rest, 'fulfilling'), event: 'fulfilling' };
}

/** A gate makes the order wait. */
export function waiting(
  order: Order,
  { reason, message, until }: { readonly reason?: HoldReason; readonly message?: string; readonly until?: Date },
  at: Date,
): OrderStep | undefined {
  const isHeld = reason === undefined || order.hold?.reason === reason;
  const isRecorded = message === undefined || (isHeld && order.hold !== undefined) || order.lastError === message;
  if (isHeld && isRecorded && order.notBefore?.getTime() === until?.getTime()) return undefined;
  const { notBefore: _, ...rest } = order;
  const after: Order = {
    ...rest,
    ...(message !== undefined && { lastError: message }),
    ...(until && { notBefore: until }),
  };
  return isHeld ? { after } : { after: { ...after, hold: { reason, at } }, event: 'held' };
}

/** A gate takes the order out of the line until an operator decides. */
export function turnedAway(
  order: Order,
  { reason, message }: { readonly reason: HoldReason; readonly message: string },
  at: Date,
): OrderStep {
  const { approval, ...rest } = outOfLine(order);
  // Settings may require more approvals than when they were complete.
  const isLacking = reason === 'approval_needed';
  const kept = isLacking || approval === undefined ? rest : { ...rest, approval };
  return { after: { ...kept, lastError: message, hold: { reason, at } }, event: 'held' };
}

/** The order with a commitment; an existing one is kept. */
function withCommitment(order: Order, { newId }: Pick<StepContext, 'newId'>): Order {
  return order.commitment ? order : { ...order, commitment: commitmentOf(order, newId()) };
}

/** The reais that pay for the order, and the fee in them, rounded up to a cent. */
function commitmentOf({ dueCents, feeCents, cost }: Order, id: string): Commitment {
  const costCents = parseUnits(cost, 2);
  assert(dueCents !== undefined && costCents !== undefined, 'a paid order has dueCents and a cost');
  return { id, moneyCents: dueCents, feeCents: divideUp(dueCents * feeCents, costCents) };
}

export function ended(order: Order, as: Ending, at: Date): OrderStep {
  const { hold: _, commitment: __, lastError: ___, ...rest } = outOfLine(order);
  return { after: { ...rest, ended: { as, at } }, event: as };
}

/** No step when the order is already held for this reason. */
export function held(order: Order, reason: HoldReason, at: Date): OrderStep | undefined {
  if (order.hold?.reason === reason) return undefined;
  return { after: { ...order, hold: { reason, at } }, event: 'held' };
}

export function resumed(order: Order): OrderStep {
  const { hold: _, lastError: __, ...rest } = order;
  return { after: rest, event: 'resumed' };
}

/** Sets `lastError`; no step when it has this value already. */
export function withLastError(order: Order, lastError: string): OrderStep | undefined {
  return order.lastError === lastError ? undefined : { after: { ...order, lastError } };
}

/** When the boleto of an order is credited, if the order waits for nothing else. */
export function waitsForCredit(order: Order, charge: Charge | undefined, now: Date): Date | undefined {
  if (!charge || order.status !== 'pending_fulfillment' || order.ended || order.hold) return undefined;
  const { availableAt } = moneyOf(charge, order.dueCents ?? charge.payableCents);
  return availableAt && availableAt > now ? availableAt : undefined;
}

/** The order stands in line again. A fulfilled order is on hold until its second transfer has enough confirmations. */
export function sentAgain(order: Order, at: Date): OrderStep {
  const { after, event } = order.status === 'fulfilled' ? undone(outOfLine(order), at) : resumed(outOfLine(order));
  return { after: { ...after, waitsSince: at }, ...(event && { event }) };
}

/** A fulfilled order whose transfer was undone waits for another one. */
export function undone(order: Order, at: Date): OrderStep {
  const lastError = 'A chain undid the transfer; another one is on its way.';
  return { after: { ...order, lastError, hold: { reason: 'reorganised', at } }, event: 'held' };
}

/** The order waits for another approval; the given ones stay. */
export function unapproved(order: Order, kept: readonly Approval[] = []): OrderStep {
  const { approval: _, approvals: __, ...after } = order;
  return { after: kept.length === 0 ? after : { ...after, approvals: kept } };
}

export type NewPrice = {
  readonly quote: NonNullable<Order['quote']>;
  readonly price: string;
  readonly quantity: string;
  readonly cost: string;
  readonly feeCents: bigint;
  readonly dueCents: bigint;
};

/** The received money buys crypto at a new price. An order that had ended is reopened. */
export function repriced(
  order: Order,
  { quote, ...terms }: NewPrice,
  {
    now,
    repriceId,
    by,
    newId,
  }: Pick<StepContext, 'now' | 'newId'> & { readonly repriceId: string; readonly by: string | undefined },
): OrderStep {
  // Approvals were for the old terms.
  const { after } = unapproved(outOfLine(order));
  const { hold: _, ended: __, commitment: ___, lastError: ____, ...rest } = after;
  const reopened = rest.status === 'pending_payment' ? moved(rest, 'pending_fulfillment') : rest;
  const renewed = {
    ...reopened,
    ...terms,
    quote,
    repricedAt: now,
    repriceId,
    ...(by !== undefined && { repricedBy: by }),
  };
  if (isPastClaim(renewed)) return { after: sentAgain(renewed, now).after, event: 'repriced' };
  // A scheduled order had a commitment; it gets one at the new terms.
  return {
    after: renewed.status === 'fulfillment_scheduled' ? withCommitment(renewed, { newId }) : renewed,
    event: 'repriced',
  };
}

/** Whether a payout was already opened for the order: if it moved nothing, the order needs another. */
export function isPastClaim({ status }: Pick<Order, 'status'>): boolean {
  return status === 'fulfilling' || status === 'fulfilled';
}

/** The order at its next status. A transition that the table does not list is a bug: it fails. */
export function moved<O extends Order>(order: O, to: Status): O {
  const allowed: readonly Status[] = STATUS_TRANSITIONS[order.status];
  assert(allowed.includes(to), `an order does not go from ${order.status} to ${to}`);
  return { ...order, status: to };
}
