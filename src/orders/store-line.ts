// The SQL of the line: due orders that wait for a slot of their network, in order of arrival.
import assert from 'node:assert/strict';
import { type AssetSymbol, type Network, symbolsOn } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import { parseUnits } from '../lib/decimals.ts';
import type { LineQuery, Unheld, WaitingUnits } from '../payouts/owner.ts';
import type { Sql } from '../storage/database.ts';
import type { HoldReason, Order } from './order.ts';
import { ORDER, type OrderRow, toOrder } from './store.ts';

/** The front of the line, without orders that are skipped for now. */
export async function readLine(sql: Sql, { network, now, without, limit, madeAfter }: LineQuery): Promise<Order[]> {
  const symbols = symbolsOn(network).filter(symbol => !without.includes(symbol));
  const rows = await sql.query<OrderRow>(
    `select front.* from unnest($3::text[]) as asset (name)
      cross join lateral (
        ${ORDER} where network = $1 and symbol = asset.name and waits_since is not null
            and (not_before is null or not_before <= $2) and ($5::timestamptz is null or created_at > $5)
          order by waits_since, id limit $4) front
      order by front.waits_since, front.id`,
    [network, now, symbols, limit, madeAfter],
  );
  return rows.map(toOrder);
}

/** Orders in line whose pause message is missing or no longer true. */
export async function readWronglyMarked(
  sql: Sql,
  network: Network,
  paused: readonly AssetSymbol[],
  limit: number,
): Promise<Order[]> {
  const rows = await sql.query<OrderRow>(
    `${ORDER} where network = $1 and waits_since is not null
        and (hold_reason is not distinct from 'payouts_paused') <> (symbol = any($2))
      order by waits_since, id limit $3`,
    [network, paused, limit],
  );
  return rows.map(toOrder);
}

/** Locks the orders that still wait, in the order of the line. Skips those that another transaction has locked. */
export async function lockWaiting(tx: Sql, ids: readonly string[]): Promise<Order[]> {
  const rows = await tx.query<OrderRow>(
    `${ORDER} where id = any($1) and waits_since is not null order by waits_since, id for update skip locked`,
    [ids],
  );
  return rows.map(toOrder);
}

/** The earliest time at which a skipped order may be examined again. */
export async function nextPassedOver(sql: Sql, network: Network, now: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    'select min(not_before) as at from orders where network = $1 and waits_since is not null and not_before > $2',
    [network, now],
  );
  return row?.at ?? undefined;
}

export async function hasWaiting(sql: Sql, network: Network): Promise<boolean> {
  const [row] = await sql.query<{ exists: boolean }>(
    'select exists (select from orders where network = $1 and waits_since is not null)',
    [network],
  );
  return row!.exists;
}

/** The first order in line that should get a slot: nothing holds it and its asset is not paused. */
export async function firstUnheld(
  sql: Sql,
  network: Network,
  { paused, madeAfter }: { readonly paused: readonly AssetSymbol[]; readonly madeAfter: Date | undefined },
): Promise<Unheld | undefined> {
  const [row] = await sql.query<{ id: string; waits_since: Date; last_error: string | null }>(
    `select id, waits_since, last_error from orders
      where network = $1 and waits_since is not null and hold_reason is null and symbol <> all($2)
        and ($3::timestamptz is null or created_at > $3)
      order by waits_since, id limit 1`,
    [network, paused, madeAfter],
  );
  return (
    row && {
      ownerId: row.id,
      waitsSince: row.waits_since,
      ...(row.last_error !== null && { lastError: row.last_error }),
    }
  );
}

/** The last error of each order that has one. */
export async function readLastErrors(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ id: string; last_error: string }>(
    'select id, last_error from orders where id = any($1) and last_error is not null',
    [ids],
  );
  return new Map(rows.map(({ id, last_error }) => [id, last_error]));
}

/** Whether an order on a network is held for a reason. */
export async function hasHeld(sql: Sql, network: Network, reason: HoldReason): Promise<boolean> {
  const [row] = await sql.query<{ exists: boolean }>(
    'select exists (select from orders where network = $1 and hold_reason = $2)',
    [network, reason],
  );
  return row!.exists;
}

export type WaitingCount = { readonly network: Network; readonly count: number; readonly oldestAt: Date };

/** How many orders wait in each line, counted up to `limit` in all, and since when. */
export async function countWaiting(sql: Sql, limit: number): Promise<WaitingCount[]> {
  const rows = await sql.query<{ network: Network; count: number; oldest_at: Date }>(
    `select network, count(*)::int as count, min(waits_since) as oldest_at
       from (select network, waits_since from orders where waits_since is not null limit $1) waiting
      group by network`,
    [limit],
  );
  return rows.map(row => ({ network: row.network, count: row.count, oldestAt: row.oldest_at }));
}

/** The quantities of the orders in line of a network, by asset. */
export async function readWaitingUnits(sql: Sql, network: Network): Promise<WaitingUnits[]> {
  const rows = await sql.query<{ symbol: AssetSymbol; count: number; quantity: string }>(
    `select symbol, count(*)::int as count, sum(quantity)::text as quantity from orders
      where network = $1 and waits_since is not null group by symbol`,
    [network],
  );
  return rows.map(({ symbol, count, quantity }) => {
    const units = parseUnits(quantity, decimalsOf(symbol, network));
    assert(units !== undefined, 'a quantity has no more decimals than its asset');
    return { symbol, count, units };
  });
}
