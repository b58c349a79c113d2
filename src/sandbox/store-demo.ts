// The SQL of the demo orders.
import type { Transaction } from '../orders/order.ts';
import type { Sql } from '../storage/database.ts';

/** Inserts the given orders; existing ones are unchanged. */
export async function insertDemoOrders(tx: Sql, orders: readonly Transaction[]): Promise<void> {
  for (const t of orders) {
    await tx.query(
      `insert into orders (
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
