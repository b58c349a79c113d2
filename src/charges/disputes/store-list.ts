// The SQL of the list of disputes, and of their numbers.
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import type { Dispute, DisputeQuery } from './dispute.ts';
import { DISPUTE_COLUMNS, toDispute } from './store.ts';

/** A page of disputes, newest first, and their total number. */
export async function readDisputePage(sql: Sql, query: DisputeQuery): Promise<{ disputes: Dispute[]; total: number }> {
  const { accountId, status, chargeId } = query;
  const { rows, total } = await readNewest(sql, query, {
    from: 'disputes',
    columns: DISPUTE_COLUMNS,
    equals: { account_id: accountId, status, charge_id: chargeId },
    read: toDispute,
  });
  return { disputes: rows, total };
}

export type OpenDisputes = { readonly count: number; readonly blockedCents: bigint; readonly oldestAt?: Date };

/** How many disputes are open, how much they block, and since when the oldest one is. */
export async function readOpenDisputes(sql: Sql): Promise<OpenDisputes> {
  const [row] = await sql.query<{ count: string; cents: string; oldest: Date | null }>(
    `select count(*) as count, coalesce(sum(amount_cents), 0)::text as cents, min(created_at) as oldest
       from disputes where status = 'open'`,
  );
  const { count, cents, oldest } = row!;
  return { count: Number(count), blockedCents: BigInt(cents), ...(oldest && { oldestAt: oldest }) };
}
