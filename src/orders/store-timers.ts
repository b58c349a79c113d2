// The SQL of the timers of orders.
import type { Sql } from '../storage/database.ts';
import type { Order } from './order.ts';

/**
 * `expire`: the price of an order without a charge ends. `settle`: the boleto is credited, or the settlement day
 * begins.
 */
type OrderTimerKind = 'expire' | 'settle';

type OrderTimer = {
  readonly orderId: string;
  readonly accountId: string;
  readonly kind: OrderTimerKind;
  readonly at: Date;
};

export async function setOrderTimer(tx: Sql, { id, accountId }: Order, kind: OrderTimerKind, at: Date): Promise<void> {
  await tx.query(
    `insert into order_timers (order_id, account_id, kind, at) values ($1, $2, $3, $4)
     on conflict (order_id, account_id, kind) do update set at = excluded.at`,
    [id, accountId, kind, at],
  );
}

export async function clearOrderTimers(tx: Sql, orders: readonly Order[], kind: OrderTimerKind): Promise<void> {
  if (orders.length === 0) return;
  await tx.query(
    `delete from order_timers t using unnest($1::uuid[], $2::text[]) as o (id, account_id)
      where t.order_id = o.id and t.account_id = o.account_id and t.kind = $3`,
    [orders.map(({ id }) => id), orders.map(({ accountId }) => accountId), kind],
  );
}

/** Deletes and returns due timers, oldest first. A timer that another transaction has locked is skipped. */
export async function takeDueTimers(tx: Sql, until: Date, limit: number): Promise<OrderTimer[]> {
  const rows = await tx.query<{ order_id: string; account_id: string; kind: OrderTimerKind; at: Date }>(
    `with due as materialized (
       select order_id, account_id, kind from order_timers
        where at <= $1 order by at, order_id, kind limit $2 for update skip locked)
     delete from order_timers t using due
      where t.order_id = due.order_id and t.account_id = due.account_id and t.kind = due.kind
      returning t.order_id, t.account_id, t.kind, t.at`,
    [until, limit],
  );
  const timers = rows.map(row => ({
    orderId: row.order_id,
    accountId: row.account_id,
    kind: row.kind,
    at: row.at,
  }));
  return timers.sort((a, b) => a.at.getTime() - b.at.getTime());
}

export async function nextTimerAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>('select at from order_timers where at <= $1 order by at limit 1', [
    until,
  ]);
  return row?.at;
}
