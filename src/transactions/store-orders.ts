// All SQL of single orders.
import type { First } from '../accounts/once.ts';
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { Ending, HoldReason, Order, SettlementSchedule, Status } from './transaction.ts';

/** Writes an order unless its id or its externalId is taken; waits for a transaction that is about to take them. */
export async function insertOrder(tx: Sql, order: Order, contentHash: string, answer: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into crypto_transactions (
       id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address, wallet_name,
       settlement_schedule, settlement_date, created_at, updated_at, external_id, quote_id, charge_id, fee_cents,
       price_source, price_at, quote_expires_at, due_cents, event_count, content_hash, answer)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
             $25, decode($26, 'hex'), $27)
     on conflict do nothing
     returning id`,
    [
      order.id,
      order.accountId,
      order.status,
      order.symbol,
      order.network,
      order.quantity,
      order.currency,
      order.cost,
      order.price,
      order.walletId,
      order.walletAddress,
      order.walletName,
      order.settlementSchedule,
      order.settlementDate,
      order.createdAt,
      order.updatedAt,
      order.externalId,
      order.quote?.id,
      order.chargeId,
      order.feeCents,
      order.quote?.source,
      order.quote?.priceAt,
      order.quote?.expiresAt,
      order.dueCents,
      order.eventCount,
      contentHash,
      answer,
    ],
  );
  return rows.length > 0;
}

const FIRST = `select id, encode(content_hash, 'hex') as content_hash, answer::text as answer from crypto_transactions`;

export async function findFirstById(sql: Sql, accountId: string, id: string): Promise<First | undefined> {
  const rows = await sql.query<FirstRow>(`${FIRST} where id = $1 and account_id = $2`, [id, accountId]);
  return rows[0] && toFirst(rows[0]);
}

export async function findFirstByExternalId(
  sql: Sql,
  accountId: string,
  externalId: string,
): Promise<First | undefined> {
  const rows = await sql.query<FirstRow>(`${FIRST} where account_id = $1 and external_id = $2`, [
    accountId,
    externalId,
  ]);
  return rows[0] && toFirst(rows[0]);
}

/** The order that a quote was used for. */
export async function findFirstByQuote(sql: Sql, quoteId: string): Promise<First | undefined> {
  const rows = await sql.query<FirstRow>(
    `${FIRST} where (id, account_id) = (select transaction_id, account_id from quote_uses where quote_id = $1)`,
    [quoteId],
  );
  return rows[0] && toFirst(rows[0]);
}

/** Notes for good that a quote serves an order; whoever writes this holds the quote, or has just made it. */
export async function noteQuoteUse(tx: Sql, quoteId: string, { id, accountId }: Order): Promise<void> {
  await tx.query('insert into quote_uses (quote_id, transaction_id, account_id) values ($1, $2, $3)', [
    quoteId,
    id,
    accountId,
  ]);
}

type FirstRow = { id: string; content_hash: string; answer: string };

function toFirst(row: FirstRow): First {
  return { id: row.id, contentHash: row.content_hash, answer: row.answer };
}

const ORDER = `
  select id, account_id, status, symbol, network, trim_scale(quantity)::text as quantity, currency,
         trim_scale(cost)::text as cost, trim_scale(price)::text as price, wallet_id, wallet_address, wallet_name,
         settlement_schedule, settlement_date, created_at, updated_at, external_id, quote_id, charge_id, fee_cents,
         price_source, price_at, quote_expires_at, due_cents, repriced_at, hold_reason, held_at, last_error, ended_as,
         ended_at, commitment_id, committed_cents, committed_fee_cents, event_count
    from crypto_transactions`;

/** An order; `accountId` narrows it to one account's. */
export async function findOrder(sql: Sql, id: string, accountId?: string): Promise<Order | undefined> {
  const [row] = await sql.query<OrderRow>(`${ORDER} where id = $1 and ($2::text is null or account_id = $2)`, [
    id,
    accountId ?? null,
  ]);
  return row && toOrder(row);
}

/** An order whose row is held until the transaction ends. Its charge, when it is needed too, is held after it. */
export async function lockOrder(tx: Sql, id: string): Promise<Order | undefined> {
  const [row] = await tx.query<OrderRow>(`${ORDER} where id = $1 for update`, [id]);
  return row && toOrder(row);
}

export type HeldQuery = PageQuery & { readonly accountId?: string; readonly reason?: HoldReason };

/** Orders that rest, those that rest longest first, and how many there are; both of one snapshot. */
export async function readHeldPage(sql: Sql, query: HeldQuery): Promise<{ orders: Order[]; total: number }> {
  const { where, limit, offset, values } = pageSql(
    query,
    { account_id: query.accountId, hold_reason: query.reason },
    'hold_reason is not null',
  );
  const rows = await sql.query<OrderRow & { total: string }>(
    `with matching as (select count(*) as total from crypto_transactions ${where}),
          page as (${ORDER} ${where} order by held_at, id limit ${limit} offset ${offset})
     select matching.total, page.* from matching left join page on true order by page.held_at, page.id`,
    // The list needs no number of its page.
    values.slice(0, -1),
  );
  return { orders: rows.filter(row => row.id !== null).map(toOrder), total: Number(rows[0]!.total) };
}

export type OrderCount = { readonly status: string; readonly holdReason: string; readonly count: number };

/** Orders that are in the list, by status and by why they rest; an empty reason is none. */
export async function countOrders(sql: Sql): Promise<OrderCount[]> {
  const rows = await sql.query<{ status: string; hold_reason: string; count: string }>(
    `select status, coalesce(hold_reason, '') as hold_reason, count(*)
       from crypto_transactions where ended_as is null or hold_reason is not null
      group by status, hold_reason`,
  );
  return rows.map(row => ({ status: row.status, holdReason: row.hold_reason, count: Number(row.count) }));
}

/** Writes the standing of an order whose row is held. */
export async function updateOrder(tx: Sql, order: Order): Promise<void> {
  await tx.query(
    `update crypto_transactions
        set status = $3, quantity = $4, cost = $5, price = $6, settlement_date = $7, updated_at = $8, quote_id = $9,
            charge_id = $10, fee_cents = $11, price_source = $12, price_at = $13, quote_expires_at = $14, due_cents = $15,
            repriced_at = $16, hold_reason = $17, held_at = $18, last_error = $19, ended_as = $20, ended_at = $21,
            commitment_id = $22, committed_cents = $23, committed_fee_cents = $24, event_count = $25
      where id = $1 and account_id = $2`,
    [
      order.id,
      order.accountId,
      order.status,
      order.quantity,
      order.cost,
      order.price,
      order.settlementDate,
      order.updatedAt,
      order.quote?.id,
      order.chargeId,
      order.feeCents,
      order.quote?.source,
      order.quote?.priceAt,
      order.quote?.expiresAt,
      order.dueCents,
      order.repricedAt,
      order.hold?.reason,
      order.hold?.at,
      order.lastError,
      order.ended?.as,
      order.ended?.at,
      order.commitment?.id,
      order.commitment?.moneyCents,
      order.commitment?.feeCents,
      order.eventCount,
    ],
  );
}

export type Happening = { readonly at: Date; readonly event: string; readonly holdReason?: string };

/** What happened to an order, in order. */
export async function readTimeline(sql: Sql, order: Order): Promise<Happening[]> {
  const rows = await sql.query<{ type: string; occurred_at: Date; hold_reason: string | null }>(
    `select type, occurred_at, object ->> 'holdReason' as hold_reason
       from events where object_id = $1 and account_id = $2 order by sequence`,
    [order.id, order.accountId],
  );
  return rows.map(({ type, occurred_at, hold_reason }) => ({
    at: occurred_at,
    event: type,
    ...(hold_reason !== null && { holdReason: hold_reason }),
  }));
}

type OrderRow = Row & {
  id: string;
  account_id: string;
  status: Status;
  symbol: AssetSymbol;
  network: Network;
  quantity: string;
  currency: Currency;
  cost: string;
  price: string;
  wallet_id: string;
  wallet_address: string;
  wallet_name: string;
  settlement_schedule: SettlementSchedule;
  settlement_date: Date;
  created_at: Date;
  updated_at: Date;
  external_id: string | null;
  quote_id: string | null;
  charge_id: string | null;
  fee_cents: string;
  price_source: string | null;
  price_at: Date | null;
  quote_expires_at: Date | null;
  due_cents: string | null;
  repriced_at: Date | null;
  hold_reason: HoldReason | null;
  held_at: Date | null;
  last_error: string | null;
  ended_as: Ending | null;
  ended_at: Date | null;
  commitment_id: string | null;
  committed_cents: string | null;
  committed_fee_cents: string | null;
  event_count: number;
};

function toOrder(row: OrderRow): Order {
  const { price_source, price_at, quote_expires_at } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    symbol: row.symbol,
    network: row.network,
    quantity: row.quantity,
    currency: row.currency,
    cost: row.cost,
    price: row.price,
    walletId: row.wallet_id,
    walletAddress: row.wallet_address,
    walletName: row.wallet_name,
    settlementSchedule: row.settlement_schedule,
    settlementDate: row.settlement_date,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    feeCents: BigInt(row.fee_cents),
    eventCount: row.event_count,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...(row.charge_id !== null && { chargeId: row.charge_id }),
    ...(price_source !== null &&
      price_at !== null &&
      quote_expires_at !== null && {
        quote: {
          source: price_source,
          priceAt: price_at,
          expiresAt: quote_expires_at,
          ...(row.quote_id !== null && { id: row.quote_id }),
        },
      }),
    ...(row.due_cents !== null && { dueCents: BigInt(row.due_cents) }),
    ...(row.repriced_at !== null && { repricedAt: row.repriced_at }),
    ...(row.hold_reason !== null && row.held_at !== null && { hold: { reason: row.hold_reason, at: row.held_at } }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.ended_as !== null && row.ended_at !== null && { ended: { as: row.ended_as, at: row.ended_at } }),
    ...(row.commitment_id !== null &&
      row.committed_cents !== null &&
      row.committed_fee_cents !== null && {
        commitment: {
          id: row.commitment_id,
          moneyCents: BigInt(row.committed_cents),
          feeCents: BigInt(row.committed_fee_cents),
        },
      }),
  };
}
