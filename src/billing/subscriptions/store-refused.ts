// The SQL of cycles that need an operator: no charge can be made of them, or no order of their money. Those of a paused subscription are
// not charged.
import type { Sql } from '../../storage/database.ts';
import { type CycleRow, SELECTED_CYCLE, toCycle } from './store.ts';
import type { Cycle } from './subscription.ts';

const REFUSED = `select c.*
   from subscription_cycles c join subscriptions s on s.id = c.subscription_id and s.account_id = c.account_id
  where c.status in ('waiting', 'past_due') and c.charge_id is null and c.attempts > 0 and s.status <> 'paused'`;

/** How many there are, counted up to the limit. */
export async function countRefusedCycles(sql: Sql, limit: number, accountId?: string): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    `select count(*) from (${REFUSED} and ($1::text is null or s.account_id = $1) limit $2) refused`,
    [accountId ?? null, limit],
  );
  return Number(row!.count);
}

/** Those that are the longest past their day. */
export async function readRefusedCycles(sql: Sql, limit: number, accountId?: string): Promise<Cycle[]> {
  const rows = await sql.query<CycleRow>(
    `select ${SELECTED_CYCLE} from (${REFUSED} and ($1::text is null or s.account_id = $1)) refused
      order by refused.day, subscription_id, number limit $2`,
    [accountId ?? null, limit],
  );
  return rows.map(toCycle);
}

/** Paid cycles whose money could buy no crypto yet, counted up to the limit. */
export async function countUnorderedCycles(sql: Sql, limit: number, accountId?: string): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    `select count(*) from (
       select from subscription_cycles
        where order_reason is not null and ($1::text is null or account_id = $1) limit $2) unordered`,
    [accountId ?? null, limit],
  );
  return Number(row!.count);
}

/** Those of the oldest days. */
export async function readUnorderedCycles(sql: Sql, limit: number, accountId?: string): Promise<Cycle[]> {
  const rows = await sql.query<CycleRow>(
    `select ${SELECTED_CYCLE} from subscription_cycles
      where order_reason is not null and ($1::text is null or account_id = $1)
      order by subscription_cycles.day, subscription_id, number limit $2`,
    [accountId ?? null, limit],
  );
  return rows.map(toCycle);
}
