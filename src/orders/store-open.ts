// Which objects can still change: their events stay in the database at any age.
import type { Sql } from '../storage/database.ts';

/**
 * The objects that are a charge that may still be paid or is being refunded, an order that is neither fulfilled nor ended, or a raised
 * alarm.
 */
export async function findOpenObjects(sql: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>(
    `select id from charges where id = any($1) and state in ('CREATING', 'ACTIVE', 'OVERDUE')
     union select charge_id from refunds where charge_id = any($1) and status = 'PENDING'
     union select id from orders where id = any($1) and ended_as is null and (status <> 'fulfilled' or hold_reason is not null)
     union select id from payout_alarms where id = any($1) and cleared_at is null`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
