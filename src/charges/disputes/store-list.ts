// The SQL of the list of disputes, and of their numbers.
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Dispute, DisputeQuery } from './dispute.ts';
import { DISPUTE_COLUMNS, type DisputeRow, toDispute } from './store.ts';

/** A page of disputes, newest first, and their total number. */
export async function readDisputePage(sql: Sql, query: DisputeQuery): Promise<{ disputes: Dispute[]; total: number }> {
  const { accountId, status, chargeId } = query;
  const { where, limit, offset, values } = pageSql(query, { account_id: accountId, status, charge_id: chargeId });
  // The last value is the page number, which this statement does not use.
  values.pop();
  const rows = await sql.query<DisputeRow & { total: string }>(
    `with found as not materialized (select id, created_at from disputes ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, shown.*
       from (select count(*) as total from found) counted
       left join (select ${DISPUTE_COLUMNS} from disputes where id in (select id from page)) shown on true
      order by shown.created_at desc, shown.id desc`,
    values,
  );
  return { disputes: rows.filter(row => row.id !== null).map(toDispute), total: Number(rows[0]!.total) };
}

/** How many disputes are open, how much they block, and since when the oldest one is. */
export async function readOpenDisputes(
  sql: Sql,
): Promise<{ readonly count: number; readonly blockedCents: bigint; readonly oldestAt?: Date }> {
  const [row] = await sql.query<{ count: string; cents: string; oldest: Date | null }>(
    `select count(*) as count, coalesce(sum(amount_cents), 0)::text as cents, min(created_at) as oldest
       from disputes where status = 'open'`,
  );
  const { count, cents, oldest } = row!;
  return { count: Number(count), blockedCents: BigInt(cents), ...(oldest && { oldestAt: oldest }) };
}
