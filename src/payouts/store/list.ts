// The SQL of the list of payouts.
import type { Network } from '../../chains/asset.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Payout, PayoutState } from '../payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './payouts.ts';

export type PayoutsQuery = PageQuery & {
  readonly accountId?: string;
  readonly network?: Network;
  readonly state?: PayoutState;
};

/** Payouts, newest first, and their total number; both from one snapshot. */
export async function readPayoutPage(
  sql: Sql,
  query: PayoutsQuery,
): Promise<{ readonly payouts: Payout[]; readonly total: number }> {
  const { accountId: account_id, network, state } = query;
  const { where, limit, offset, values } = pageSql(query, { account_id, network, state });
  const rows = await sql.query<PayoutRow & { total: string }>(
    `with matching as (select count(*) as total from payouts ${where}),
          page as (${SELECT_PAYOUT} ${where} order by p.created_at desc, p.id desc limit ${limit} offset ${offset})
     select matching.total, page.* from matching left join page on true order by page.created_at desc, page.id desc`,
    // The last value is the page number, which this statement does not use.
    values.slice(0, -1),
  );
  return { payouts: rows.filter(row => row.id !== null).map(toPayout), total: Number(rows[0]!.total) };
}

/** A payout by its own id or, as in `findPayoutOfOwner`, by the id of its owner. */
export async function findPayoutByEither(sql: Sql, id: string, accountId?: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where (p.id = $1 or p.order_id = $1) and ($2::text is null or p.account_id = $2)
      order by p.state not in ('reverted', 'voided') desc, p.created_at desc, p.id desc limit 1`,
    [id, accountId],
  );
  return row && toPayout(row);
}
