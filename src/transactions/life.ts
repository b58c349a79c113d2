// The life of an order as pure steps: an order before, what its charge and the time say, the order after. Asked again after
// each step until there is none, so it does not matter how often, or in which order, somebody tells that something happened.
import assert from 'node:assert/strict';
import type { LivingCharge } from '../charges/charge.ts';
import { divideUp, parseUnits } from '../lib/decimals.ts';
import { type Money, moneyOf } from './money.ts';
import { type SettlementRules, settlementAt } from './settlement.ts';
import {
  type Commitment,
  type Ending,
  type HoldReason,
  type Order,
  type OrderEvent,
  STATUS_TRANSITIONS,
  type Status,
} from './transaction.ts';

/** The order after a step, and the event that tells of it; none when only words beside the order changed. */
export type OrderStep = { readonly after: Order; readonly event?: OrderEvent };

export type Surroundings = {
  readonly charge: LivingCharge | undefined;
  readonly rules: SettlementRules;
  readonly now: Date;
  /** Makes the id of a commitment. */
  readonly newId: () => string;
};

/** The next step that is due, if any. */
export function nextStep(order: Order, around: Surroundings): OrderStep | undefined {
  const { charge, now } = around;
  if (!charge) return hasLapsed(order, now) ? ended(order, 'expired', now) : undefined;
  const money = moneyOf(charge, order.dueCents ?? charge.payableCents);
  if (order.ended) return afterEnd(order, money, now);
  switch (order.status) {
    case 'pending_payment':
      if (money.cameCents > 0n) return { after: moved(order, 'pending_fulfillment'), event: 'pending_fulfillment' };
      return money.end && ended(order, money.end, now);
    case 'pending_fulfillment':
    case 'fulfillment_scheduled':
      return towardsSettlement(order, money, around);
    default:
      // Crypto that never left: its money may have gone back.
      return order.hold?.reason === 'transfer_reverted' && money.isRefunded ? ended(order, 'refunded', now) : undefined;
  }
}

/** Nobody can pay an order without a charge, and none is made once its price is gone. */
function hasLapsed({ status, ended: over, quote }: Order, now: Date): boolean {
  return status === 'pending_payment' && over === undefined && quote !== undefined && quote.expiresAt <= now;
}

function afterEnd(order: Order, money: Money, now: Date): OrderStep | undefined {
  if (money.keptCents > 0n) return held(order, 'paid_after_end', now);
  const isTold = order.ended?.as === 'refunded' && !order.hold;
  return money.isRefunded && !isTold ? ended(order, 'refunded', now) : undefined;
}

function towardsSettlement(order: Order, money: Money, around: Surroundings): OrderStep | undefined {
  const { rules, now } = around;
  if (money.isRefunded) return ended(order, 'refunded', now);
  const reason = reasonToHold(order, money);
  if (reason) return held(order, reason, now);
  if (order.hold) return resumed(order);
  if (!money.atHandAt || money.atHandAt > now) return undefined;
  if (order.status === 'fulfillment_scheduled') {
    return order.settlementDate <= now ? claimed(order, around) : undefined;
  }
  const countsFrom = order.repricedAt && order.repricedAt > money.atHandAt ? order.repricedAt : money.atHandAt;
  const settlementDate = settlementAt(order.settlementSchedule, countsFrom, rules);
  if (order.settlementSchedule === 'D0' && settlementDate <= now) {
    return claimed({ ...order, settlementDate }, around);
  }
  const scheduled = { ...moved(order, 'fulfillment_scheduled'), settlementDate };
  return { after: promised(scheduled, around), event: 'fulfillment_scheduled' };
}

/** Why the money is not what the price was promised for. */
export function reasonToHold({ dueCents = 0n, quote }: Order, money: Money): HoldReason | undefined {
  if (money.cameCents < dueCents) return 'underpaid';
  if (money.keptCents < dueCents) return money.isRefundPending ? 'refund_pending' : 'partially_refunded';
  // The price was a promise for money that comes in time.
  return money.completeAt && quote && money.completeAt > quote.expiresAt ? 'quote_expired' : undefined;
}

/** The crypto leaves now: whoever writes this takes a slot for it. */
function claimed({ lastError: _, ...order }: Order, around: Surroundings): OrderStep {
  return { after: promised(moved(order, 'fulfilling'), around), event: 'fulfilling' };
}

/** The order with its crypto promised in the ledger, unless it was before. */
export function promised(order: Order, { newId }: Pick<Surroundings, 'newId'>): Order {
  return order.commitment ? order : { ...order, commitment: commitmentOf(order, newId()) };
}

/** The reais that pay for the order, and the part of them that is the fee, rounded up to a cent. */
function commitmentOf({ dueCents, feeCents, cost }: Order, id: string): Commitment {
  const costCents = parseUnits(cost, 2);
  assert(dueCents !== undefined && costCents !== undefined, 'an order that is paid has a charge and a cost');
  return { id, moneyCents: dueCents, feeCents: divideUp(dueCents * feeCents, costCents) };
}

export function ended(order: Order, as: Ending, at: Date): OrderStep {
  const { hold: _, commitment: __, lastError: ___, ...rest } = order;
  return { after: { ...rest, ended: { as, at } }, event: as };
}

export function held(order: Order, reason: HoldReason, at: Date): OrderStep | undefined {
  if (order.hold?.reason === reason) return undefined;
  return { after: { ...order, hold: { reason, at } }, event: 'held' };
}

export function resumed(order: Order): OrderStep {
  const { hold: _, lastError: __, ...rest } = order;
  return { after: rest, event: 'resumed' };
}

/** What an operator is told while a chain does not answer. */
export const SILENT = 'The chain does not answer.';

/** The same order with words for an operator; nothing when they stand there already. */
export function worded(order: Order, lastError: string): OrderStep | undefined {
  return order.lastError === lastError ? undefined : { after: { ...order, lastError } };
}

/** When an order that waits for nothing but a boleto's credit goes on. */
export function waitsForCredit(order: Order, charge: LivingCharge | undefined, now: Date): Date | undefined {
  if (!charge || order.status !== 'pending_fulfillment' || order.ended || order.hold) return undefined;
  const { atHandAt } = moneyOf(charge, order.dueCents ?? charge.payableCents);
  return atHandAt && atHandAt > now ? atHandAt : undefined;
}

/** The transfer lies deep enough. */
export function fulfilled(order: Order, at: Date): OrderStep {
  const { hold: _, lastError: __, ...rest } = moved(order, 'fulfilled');
  return { after: { ...rest, settlementDate: at }, event: 'fulfilled' };
}

/** The chain carried the transfer out and nothing moved: what was promised is free again until somebody decides. */
export function reverted(order: Order, lastError: string, at: Date): OrderStep {
  const { commitment: _, ...rest } = order;
  return { after: { ...rest, lastError, hold: { reason: 'transfer_reverted', at } }, event: 'held' };
}

/** A second transfer is on its way. An order that had been fulfilled rests until that one lies deep enough. */
export function sentAgain(order: Order, at: Date): OrderStep {
  return order.status === 'fulfilled' ? undone(order, at) : resumed(order);
}

function undone(order: Order, at: Date): OrderStep {
  const lastError = 'A chain undid the transfer; another one is on its way.';
  return { after: { ...order, lastError, hold: { reason: 'reorganised', at } }, event: 'held' };
}

export type NewPrice = {
  readonly quote: NonNullable<Order['quote']>;
  readonly price: string;
  readonly quantity: string;
  readonly cost: string;
  readonly feeCents: bigint;
  readonly dueCents: bigint;
};

/** Money that had come is served at a new price; an order that had ended comes back. */
export function repriced(
  order: Order,
  { quote, ...terms }: NewPrice,
  { now, newId }: Pick<Surroundings, 'now' | 'newId'>,
): OrderStep {
  const { hold: _, ended: __, commitment: ___, lastError: ____, ...rest } = order;
  const back = rest.status === 'pending_payment' ? moved(rest, 'pending_fulfillment') : rest;
  const after = { ...back, ...terms, quote, repricedAt: now };
  // What had been promised is promised anew.
  const isPromised = after.status !== 'pending_fulfillment';
  const anew = isPromised ? promised(after, { newId }) : after;
  return { after: anew.status === 'fulfilled' ? undone(anew, now).after : anew, event: 'repriced' };
}

/** An order at its next status. A step that the table does not know is a fault of ours. */
function moved<O extends Order>(order: O, to: Status): O {
  const allowed: readonly Status[] = STATUS_TRANSITIONS[order.status];
  assert(allowed.includes(to), `an order does not go from ${order.status} to ${to}`);
  return { ...order, status: to };
}
