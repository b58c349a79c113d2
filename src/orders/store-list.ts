// The SQL of the list of orders. An order that ended without fulfilment is not in it (the view `listed_orders`).
import { FOUND_PAGE, pageValues } from '../storage/counted-list.ts';
import type { Sql } from '../storage/database.ts';
import type { ListQuery } from './order.ts';

const ROW_JSON = `
  select id as "transactionId", status, trim_scale(quantity) as quantity, trim_scale(cost) as cost,
         trim_scale(price) as price, network, symbol, currency, wallet_id as "walletId",
         wallet_address as "walletAddress", wallet_name as "walletName",
         settlement_schedule as "settlementSchedule",
         iso_utc(settlement_date) as "settlementDate", iso_utc(created_at) as "createdAt",
         iso_utc(updated_at) as "updatedAt"`;

/** A page, newest first, as JSON; rows and total come from one snapshot. */
export async function readPage(sql: Sql, query: ListQuery): Promise<string> {
  const { accountId, symbol, status, page } = query;
  const [row] = await sql.query<{ body: string }>(
    `with ${FOUND_PAGE},
          counted as (select *, ceil(total / $8::numeric)::bigint as pages from found)
     select row_to_json(answer)::text as body
       from (select coalesce((select json_agg(row_to_json(t) order by t."createdAt" desc, t."transactionId" desc)
                                from (${ROW_JSON} from orders where id = any (counted.ids)) t), '[]') as transactions,
                    total, pages as "totalPages", $9::bigint as "currentPage", $9::bigint < pages as "hasMore"
               from counted) answer`,
    [...pageValues('orders', { accountId, label: symbol, state: status }, query), page],
    { name: 'orders_page' },
  );
  return row!.body;
}
