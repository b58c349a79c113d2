// All SQL of what orders wait for.
import type { Sql } from '../storage/database.ts';
import type { Order } from './transaction.ts';

/** The end of a price that nobody can pay any more, the settlement day, the next look at the chain. */
export type OrderTimerKind = 'expire' | 'settle' | 'look';

export type OrderTimer = {
  readonly transactionId: string;
  readonly accountId: string;
  readonly kind: OrderTimerKind;
  readonly at: Date;
};

export async function setOrderTimer(tx: Sql, { id, accountId }: Order, kind: OrderTimerKind, at: Date): Promise<void> {
  await tx.query(
    `insert into transaction_timers (transaction_id, account_id, kind, at) values ($1, $2, $3, $4)
     on conflict (transaction_id, account_id, kind) do update set at = excluded.at`,
    [id, accountId, kind, at],
  );
}

export async function clearOrderTimers(
  tx: Sql,
  { id, accountId }: Order,
  kinds: readonly OrderTimerKind[],
): Promise<void> {
  await tx.query('delete from transaction_timers where transaction_id = $1 and account_id = $2 and kind = any($3)', [
    id,
    accountId,
    kinds,
  ]);
}

/** Takes timers that are due, oldest first; one that an order is being moved with is left to it. */
export async function takeDueTimers(tx: Sql, until: Date, limit: number): Promise<OrderTimer[]> {
  const rows = await tx.query<{ transaction_id: string; account_id: string; kind: OrderTimerKind; at: Date }>(
    `with due as materialized (
       select transaction_id, account_id, kind from transaction_timers
        where at <= $1 order by at, transaction_id, kind limit $2 for update skip locked)
     delete from transaction_timers t using due
      where t.transaction_id = due.transaction_id and t.account_id = due.account_id and t.kind = due.kind
      returning t.transaction_id, t.account_id, t.kind, t.at`,
    [until, limit],
  );
  const timers = rows.map(row => ({
    transactionId: row.transaction_id,
    accountId: row.account_id,
    kind: row.kind,
    at: row.at,
  }));
  return timers.sort((a, b) => a.at.getTime() - b.at.getTime());
}

export async function nextTimerAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>('select at from transaction_timers where at <= $1 order by at limit 1', [
    until,
  ]);
  return row?.at;
}
