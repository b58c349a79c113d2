// The SQL that finds orders matching the amount and recipient of a transfer.
import type { LikeOwner, MovedFunds } from '../payouts/owner.ts';
import type { Row, Sql } from '../storage/database.ts';

/** Orders of exactly this amount to this address that did not end unfulfilled; those not fulfilled yet first. */
export async function findOrdersLike(
  sql: Sql,
  { network, symbol, quantity, to }: MovedFunds,
  limit: number,
): Promise<LikeOwner[]> {
  const rows = await sql.query<Row & { id: string; is_fulfilled: boolean }>(
    `select id, status = 'fulfilled' and hold_reason is null as is_fulfilled from orders
      where network = $1 and symbol = $2 and quantity = $3::numeric and lower(wallet_address) = $4 and ended_as is null
      order by is_fulfilled, created_at, id limit $5`,
    [network, symbol, quantity, to, limit],
  );
  return rows.map(row => ({ id: row.id, isFulfilled: row.is_fulfilled }));
}

/** When the first order was made. */
export async function firstOrderAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>('select min(created_at) as at from orders');
  return row?.at ?? undefined;
}
