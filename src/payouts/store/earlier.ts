// The SQL of earlier payouts of an owner that moved nothing by the books.
import type { Sql } from '../../storage/database.ts';
import type { Payout } from '../payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './payouts.ts';

/** With their attempts, oldest first. */
export async function findThatMovedNothing(sql: Sql, ownerIds: readonly string[]): Promise<Payout[]> {
  const rows = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.order_id = any($1) and p.state in ('reverted', 'voided') order by p.created_at, p.id`,
    [ownerIds],
  );
  return rows.map(toPayout);
}
