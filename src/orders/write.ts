// Writes steps of orders: their rows, events, ledger entries and timers, in one transaction. The caller holds the row locks of
// the orders.

import assert from 'node:assert/strict';
import { decimalsOf } from '../chains/networks.ts';
import { insertEvents, objectEvent } from '../events/store.ts';
import { commitmentEntry, type Commitment as LedgerCommitment, releaseEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { postEntries } from '../ledger/store.ts';
import { parseUnits } from '../lib/decimals.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Sql } from '../storage/database.ts';
import type { OrderStep } from './life.ts';
import { type Commitment, type Order, type OrderEvent, orderEventType } from './order.ts';
import { updateOrders } from './store.ts';
import { clearOrderTimers, setOrderTimer } from './store-timers.ts';
import { orderView } from './view.ts';

/** A step of an order, and the payout that its event shows. */
export type WrittenStep = { readonly before: Order; readonly step: OrderStep; readonly payout?: Payout };

/** Returns the order after the step. */
export async function writeOrderStep(tx: Sql, before: Order, step: OrderStep, at: Date): Promise<Order> {
  const [written] = await writeOrderSteps(tx, [{ before, step }], at);
  assert(written);
  return written;
}

/** Writes one step of each of several orders, with few statements for all of them. Returns the orders after their steps. */
export async function writeOrderSteps(tx: Sql, steps: readonly WrittenStep[], at: Date): Promise<Order[]> {
  if (steps.length === 0) return [];
  assert.equal(new Set(steps.map(({ before }) => before.id)).size, steps.length, 'each order has one step');
  const done = steps.map(({ before, step: { after, event }, payout }) => {
    const written = { ...after, updatedAt: at, eventCount: after.eventCount + (event ? 1 : 0) };
    return { before, written, events: event ? [orderEvent(written, event, at, payout)] : [] };
  });
  await updateOrders(
    tx,
    done.map(({ written }) => written),
  );
  await insertEvents(
    tx,
    done.flatMap(({ events }) => events),
  );
  await postEntries(
    tx,
    done.flatMap(({ before, written }) => commitmentEntries(before, written, at)),
  );
  await updateTimers(tx, done);
  return done.map(({ written }) => written);
}

/** An event that carries the order as it is now. */
export function orderEvent(order: Order, event: OrderEvent, at: Date, payout?: Payout) {
  return objectEvent(order, orderEventType(event), at, orderView(order, payout));
}

/** Smallest units of the asset. */
export function unitsOf({ quantity, symbol, network }: Order): bigint {
  const units = parseUnits(quantity, decimalsOf(symbol, network));
  assert(units !== undefined, 'a quantity has no more decimals than its asset');
  return units;
}

/** The ledger entries of a changed commitment: the old one is released, the new one is posted. */
function commitmentEntries(before: Order, after: Order, at: Date): Entry[] {
  if (before.commitment?.id === after.commitment?.id) return [];
  return [
    ...(before.commitment ? [releaseEntry(ledgerCommitment(before, before.commitment, at))] : []),
    ...(after.commitment ? [commitmentEntry(ledgerCommitment(after, after.commitment, at))] : []),
  ];
}

function ledgerCommitment(order: Order, { id, moneyCents, feeCents }: Commitment, at: Date): LedgerCommitment {
  const { accountId, chargeId, symbol, network } = order;
  return {
    id: uuidV7(at),
    accountId,
    at,
    orderId: order.id,
    ...(chargeId !== undefined && { chargeId }),
    commitmentId: id,
    keptCents: moneyCents,
    feeCents,
    symbol,
    network,
    units: unitsOf(order),
  };
}

/** A scheduled order has a timer for its settlement day. A paid or ended order has no timer for the end of its price. */
async function updateTimers(
  tx: Sql,
  steps: readonly { readonly before: Order; readonly written: Order }[],
): Promise<void> {
  const afterIf = (isTrue: (before: Order, written: Order) => boolean) =>
    steps.flatMap(({ before, written }) => (isTrue(before, written) ? [written] : []));
  const noPrice = afterIf((before, written) => hasOpenPrice(before) && !hasOpenPrice(written));
  await clearOrderTimers(tx, noPrice, 'expire');
  const noDay = afterIf((before, written) => waitsForSettlementDay(before) && !waitsForSettlementDay(written));
  await clearOrderTimers(tx, noDay, 'settle');
  for (const order of afterIf((_, written) => waitsForSettlementDay(written))) {
    await setOrderTimer(tx, order, 'settle', order.settlementDate);
  }
}

function hasOpenPrice({ status, ended }: Order): boolean {
  return status === 'pending_payment' && !ended;
}

function waitsForSettlementDay({ status, ended, hold, waitsSince }: Order): boolean {
  return status === 'fulfillment_scheduled' && !ended && !hold && !waitsSince;
}

/**
 * Restores timers that lie in the future. The node that took a timer may have a clock ahead of this one; without the timer the order
 * would never be handled.
 */
export async function restoreTimers(tx: Sql, order: Order, now: Date, creditAt?: Date): Promise<void> {
  if (creditAt) await setOrderTimer(tx, order, 'settle', creditAt);
  const { status, ended, chargeId, quote, settlementDate } = order;
  if (waitsForSettlementDay(order) && settlementDate > now) await setOrderTimer(tx, order, 'settle', settlementDate);
  const hasOnlyPrice = status === 'pending_payment' && !ended && chargeId === undefined;
  if (hasOnlyPrice && quote && quote.expiresAt > now) await setOrderTimer(tx, order, 'expire', quote.expiresAt);
}
