// Writes a step of an order: its row, its event, its ledger entries and its timers, in one transaction. The caller holds
// the row lock of the order.

import assert from 'node:assert/strict';
import { decimalsOf } from '../chains/networks.ts';
import { insertEvents } from '../events/store.ts';
import { commitmentEntry, type Commitment as LedgerCommitment, releaseEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { postEntries } from '../ledger/store.ts';
import { parseUnits } from '../lib/decimals.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Sql } from '../storage/database.ts';
import type { OrderStep } from './life.ts';
import { type Commitment, type Order, type OrderEvent, orderEventType } from './order.ts';
import { updateOrder } from './store.ts';
import { clearOrderTimers, setOrderTimer } from './store-timers.ts';
import { orderView } from './view.ts';

/** Returns the order after the step. */
export async function writeOrderStep(
  tx: Sql,
  before: Order,
  { after, event }: OrderStep,
  at: Date,
  payout?: Payout,
): Promise<Order> {
  const written = { ...after, updatedAt: at, eventCount: after.eventCount + (event ? 1 : 0) };
  await updateOrder(tx, written);
  if (event) await insertEvents(tx, [orderEvent(written, event, at, payout)]);
  await postEntries(tx, commitmentEntries(before, written, at));
  await updateTimers(tx, before, written);
  return written;
}

/** An event that carries the order as it is now. */
export function orderEvent(order: Order, event: OrderEvent, at: Date, payout?: Payout) {
  return {
    id: uuidV7(at),
    accountId: order.accountId,
    type: orderEventType(event),
    objectId: order.id,
    sequence: order.eventCount,
    occurredAt: at,
    object: orderView(order, payout),
  };
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
async function updateTimers(tx: Sql, before: Order, after: Order): Promise<void> {
  if (after.status !== 'pending_payment' || after.ended) await clearOrderTimers(tx, after, ['expire']);
  if (waitsForSettlementDay(after)) await setOrderTimer(tx, after, 'settle', after.settlementDate);
  else if (waitsForSettlementDay(before)) await clearOrderTimers(tx, after, ['settle']);
}

function waitsForSettlementDay({ status, ended, hold, waitsSince }: Order): boolean {
  return status === 'fulfillment_scheduled' && !ended && !hold && !waitsSince;
}

/**
 * Sets the timers that lie in the future again. The node that took a timer may have a clock ahead of this one; without the
 * timer the order would never be handled.
 */
export async function restoreTimers(tx: Sql, order: Order, now: Date, creditAt?: Date): Promise<void> {
  if (creditAt) await setOrderTimer(tx, order, 'settle', creditAt);
  const { status, ended, chargeId, quote, settlementDate } = order;
  if (waitsForSettlementDay(order) && settlementDate > now) await setOrderTimer(tx, order, 'settle', settlementDate);
  const hasOnlyPrice = status === 'pending_payment' && !ended && chargeId === undefined;
  if (hasOnlyPrice && quote && quote.expiresAt > now) await setOrderTimer(tx, order, 'expire', quote.expiresAt);
}
