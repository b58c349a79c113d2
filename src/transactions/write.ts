// The one way a step of an order's life is written: its standing, its event, what the ledger is told and what it waits for,
// together, while the order's row is held.

import { decimalsOf } from '../chains/networks.ts';
import { insertEvents } from '../events/store.ts';
import { commitmentEntry, type Commitment as Posted, releaseEntry } from '../ledger/entries.ts';
import type { Entry } from '../ledger/entry.ts';
import { postEntries } from '../ledger/store.ts';
import { parseUnits } from '../lib/decimals.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';
import type { OrderStep } from './life.ts';
import type { Payout } from './payout.ts';
import { updateOrder } from './store-orders.ts';
import { clearOrderTimers, setOrderTimer } from './store-timers.ts';
import type { Commitment, Order } from './transaction.ts';
import { orderView } from './view.ts';

/** Writes a step of an order whose row is held, and returns the order as it is then. */
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
  await postEntries(tx, promises(before, written, at));
  await keepTimers(tx, before, written);
  return written;
}

/** The event that tells of an order as it is now. */
export function orderEvent(order: Order, event: string, at: Date, payout?: Payout) {
  return {
    id: uuidV7(at),
    accountId: order.accountId,
    type: `crypto_transaction.${event}`,
    objectId: order.id,
    sequence: order.eventCount,
    occurredAt: at,
    object: orderView(order, payout),
  };
}

/** Smallest units of the asset. */
export function unitsOf({ quantity, symbol, network }: Order): bigint {
  const units = parseUnits(quantity, decimalsOf(symbol, network));
  if (units === undefined) throw new Error('a quantity has no more decimals than its asset');
  return units;
}

/** What the ledger learns: a promise that is gone is taken back, one that is new is made. */
function promises(before: Order, after: Order, at: Date): Entry[] {
  if (before.commitment?.id === after.commitment?.id) return [];
  return [
    ...(before.commitment ? [releaseEntry(posted(before, before.commitment, at))] : []),
    ...(after.commitment ? [commitmentEntry(posted(after, after.commitment, at))] : []),
  ];
}

function posted(order: Order, { id, moneyCents, feeCents }: Commitment, at: Date): Posted {
  const { accountId, chargeId, symbol, network } = order;
  return {
    id: uuidV7(at),
    accountId,
    at,
    transactionId: order.id,
    ...(chargeId !== undefined && { chargeId }),
    commitmentId: id,
    keptCents: moneyCents,
    feeCents,
    symbol,
    network,
    units: unitsOf(order),
  };
}

/** A scheduled order waits for its day; one that is paid or over waits for no price. */
async function keepTimers(tx: Sql, before: Order, after: Order): Promise<void> {
  if (after.status !== 'pending_payment' || after.ended) await clearOrderTimers(tx, after, ['expire']);
  if (waitsForDay(after)) await setOrderTimer(tx, after, 'settle', after.settlementDate);
  else if (waitsForDay(before)) await clearOrderTimers(tx, after, ['settle']);
}

function waitsForDay({ status, ended, hold }: Order): boolean {
  return status === 'fulfillment_scheduled' && !ended && !hold;
}

/**
 * Sets the timer of a moment that is still to come. Whoever took it may have had a clock ahead of ours, and nobody would
 * come again.
 */
export async function keepWaiting(tx: Sql, order: Order, now: Date, creditAt?: Date): Promise<void> {
  if (creditAt) await setOrderTimer(tx, order, 'settle', creditAt);
  const { status, ended, chargeId, quote, settlementDate } = order;
  if (waitsForDay(order) && settlementDate > now) await setOrderTimer(tx, order, 'settle', settlementDate);
  const isPriced = status === 'pending_payment' && !ended && chargeId === undefined;
  if (isPriced && quote && quote.expiresAt > now) await setOrderTimer(tx, order, 'expire', quote.expiresAt);
}
