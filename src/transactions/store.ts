// All SQL of the list of crypto transactions. What ended without being fulfilled is not in it.
import type { Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { ListQuery, Transaction } from './transaction.ts';

const LISTED = 'ended_as is null';

/** Newest first, and total: no two rows share an id. */
const ORDER = 'created_at desc, id desc';

const ROW_JSON = `
  select id as "transactionId", status, trim_scale(quantity) as quantity, trim_scale(cost) as cost,
         trim_scale(price) as price, network, symbol, currency, wallet_id as "walletId",
         wallet_address as "walletAddress", wallet_name as "walletName",
         settlement_schedule as "settlementSchedule",
         iso_utc(settlement_date) as "settlementDate", iso_utc(created_at) as "createdAt",
         iso_utc(updated_at) as "updatedAt"`;

export async function readPage(sql: Sql, query: ListQuery): Promise<string> {
  const filters = { account_id: query.accountId, symbol: query.symbol, status: query.status };
  const { where, limit, offset, page, values } = pageSql(query, filters, LISTED);
  const [row] = await sql.query<{ body: string }>(
    `with matching as materialized (select count(*) as total from crypto_transactions ${where}),
          page as (select * from crypto_transactions ${where} order by ${ORDER} limit ${limit} offset ${offset}),
          counted as (select total, ceil(total / ${limit}::numeric)::bigint as pages from matching)
     select row_to_json(answer)::text as body
       from (select coalesce((select json_agg(row_to_json(t) order by t."createdAt" desc, t."transactionId" desc)
                                from (${ROW_JSON} from page) t), '[]') as transactions,
                    total, pages as "totalPages", ${page}::bigint as "currentPage", ${page}::bigint < pages as "hasMore"
               from counted) answer`,
    values,
  );
  return row!.body;
}

/** Writes transactions; one that is there already stays as it is. */
export async function insertTransactions(tx: Sql, transactions: readonly Transaction[]): Promise<void> {
  for (const t of transactions) {
    await tx.query(
      `insert into crypto_transactions (
         id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address, wallet_name,
         settlement_schedule, settlement_date, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
       on conflict do nothing`,
      [
        t.id,
        t.accountId,
        t.status,
        t.symbol,
        t.network,
        t.quantity,
        t.currency,
        t.cost,
        t.price,
        t.walletId,
        t.walletAddress,
        t.walletName,
        t.settlementSchedule,
        t.settlementDate,
        t.createdAt,
        t.updatedAt,
      ],
    );
  }
}
