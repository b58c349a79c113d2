// The SQL of orders that may still be paid out.
import type { Network } from '../chains/asset.ts';
import type { Sql } from '../storage/database.ts';

/** The creation time of the oldest order after a moment that is neither fulfilled nor ended. */
export async function oldestUnpaidAt(sql: Sql, network: Network, after: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    `select min(created_at) as at from orders
      where network = $1 and created_at > $2 and ended_as is null and (status <> 'fulfilled' or hold_reason is not null)`,
    [network, after],
  );
  return row?.at ?? undefined;
}

/** Orders of an asset that are neither fulfilled nor ended. */
export async function hasUnpaidOf(sql: Sql, network: Network, symbol: string): Promise<boolean> {
  const rows = await sql.query(
    `select from orders
      where network = $1 and symbol = $2 and ended_as is null and (status <> 'fulfilled' or hold_reason is not null) limit 1`,
    [network, symbol],
  );
  return rows.length > 0;
}
