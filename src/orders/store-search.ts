// The SQL that finds an order by an id of any kind: its own, the caller's, that of its payout, or the hash of its transfer.
import { uuidIn } from '../charges/store/search.ts';
import type { Sql } from '../storage/database.ts';

const MAX_FOUND = 20;

export type FoundOrder = {
  readonly kind: 'order';
  readonly id: string;
  readonly by: string;
  readonly accountId: string;
};

export async function findOrdersByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundOrder[]> {
  const rows = await sql.query<{ id: string; by: string; account_id: string }>(
    `select distinct id, by, account_id from (
       select id::text, 'id' as by, account_id from orders where id = $3::uuid
       union all select id::text, 'external id', account_id from orders where external_id = $1
       union all select order_id::text, 'payout', account_id from payouts where id = $3::uuid
       union all select p.order_id::text, 'hash', p.account_id
                   from payout_attempts a join payouts p on p.id = a.payout_id and p.account_id = a.account_id
                  where a.hash in ($1, lower($1))
     ) found where $2::text is null or account_id = $2 limit ${MAX_FOUND}`,
    [text, accountId ?? null, uuidIn(text)],
  );
  return rows.map(row => ({ kind: 'order', id: row.id, by: row.by, accountId: row.account_id }));
}
