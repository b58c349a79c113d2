// The SQL of single orders, and the list of orders on hold.
import type { First } from '../accounts/once.ts';
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type {
  Ending,
  HoldReason,
  MismatchSettlement,
  Order,
  OrderEventType,
  SettlementSchedule,
  Status,
} from './order.ts';

/** The columns of an order that never change. */
const fixedColumns = (order: Order) => ({
  id: order.id,
  account_id: order.accountId,
  external_id: order.externalId,
  symbol: order.symbol,
  network: order.network,
  currency: order.currency,
  wallet_id: order.walletId,
  wallet_address: order.walletAddress,
  wallet_name: order.walletName,
  settlement_schedule: order.settlementSchedule,
  created_at: order.createdAt,
  created_by: order.createdBy,
});

/** The columns that a step of an order may change. */
const changingColumns = (order: Order) => ({
  status: order.status,
  quantity: order.quantity,
  cost: order.cost,
  price: order.price,
  fee_cents: order.feeCents,
  price_source: order.quote?.source,
  price_at: order.quote?.priceAt,
  quote_id: order.quote?.id,
  quote_expires_at: order.quote?.expiresAt,
  repriced_at: order.repricedAt,
  reprice_id: order.repriceId,
  repriced_by: order.repricedBy,
  retry_id: order.retryId,
  approved_by: order.approval?.by,
  approved_at: order.approval?.at,
  approvals: order.approvals,
  settled_as: order.settledAs,
  charge_id: order.chargeId,
  due_cents: order.dueCents,
  settlement_date: order.settlementDate,
  hold_reason: order.hold?.reason,
  held_at: order.hold?.at,
  last_error: order.lastError,
  waits_since: order.waitsSince,
  not_before: order.notBefore,
  ended_as: order.ended?.as,
  ended_at: order.ended?.at,
  commitment_id: order.commitment?.id,
  committed_cents: order.commitment?.moneyCents,
  committed_fee_cents: order.commitment?.feeCents,
  event_count: order.eventCount,
  updated_at: order.updatedAt,
});

/** The content that a repeat of its request must share, and the stored answer to one. */
type Requested = { readonly hash: string; readonly answer: string };

/**
 * Inserts an order unless its id or its externalId is taken; waits for an open transaction that has taken them. One without `requested`
 * was made by no request for an order.
 */
export async function insertOrder(tx: Sql, order: Order, requested?: Requested): Promise<boolean> {
  const columns = {
    ...fixedColumns(order),
    ...changingColumns(order),
    ...(requested && { content_hash: Buffer.from(requested.hash, 'hex'), answer: requested.answer }),
  };
  const names = Object.keys(columns);
  const rows = await tx.query(
    `insert into orders (${names.join(', ')})
     values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict do nothing
     returning id`,
    Object.values(columns),
  );
  return rows.length > 0;
}

/** Updates orders, each once; the caller holds their row locks. */
export async function updateOrders(tx: Sql, orders: readonly Order[]): Promise<void> {
  const [first] = orders;
  if (!first) return;
  const names = Object.keys(changingColumns(first));
  const rows = orders.map(order => ({ id: order.id, account_id: order.accountId, ...changingColumns(order) }));
  const asJson = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  await tx.query(
    `update orders o set ${names.map(name => `${name} = n.${name}`).join(', ')}
       from json_populate_recordset(null::orders, $1) n
      where o.id = n.id and o.account_id = n.account_id`,
    [asJson],
  );
}

const FIRST = `select id, encode(content_hash, 'hex') as content_hash, answer::text as answer from orders`;

export async function findFirstById(sql: Sql, accountId: string, id: string): Promise<First | undefined> {
  const rows = await sql.query<FirstRow>(`${FIRST} where id = $1 and account_id = $2`, [id, accountId]);
  return rows[0] && toFirst(rows[0]);
}

/** Replaces the stored answer for repeats of the request. */
export async function replaceAnswer(sql: Sql, { id, accountId }: Order, answer: string): Promise<void> {
  await sql.query('update orders set answer = $3::json where id = $1 and account_id = $2', [id, accountId, answer]);
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
    `${FIRST} where (id, account_id) = (select order_id, account_id from quote_uses where quote_id = $1)`,
    [quoteId],
  );
  return rows[0] && toFirst(rows[0]);
}

/** Records that a quote is used by an order. The caller holds the row lock of the quote, or has just inserted it. */
export async function recordQuoteUse(tx: Sql, quoteId: string, { id, accountId }: Order): Promise<void> {
  await tx.query('insert into quote_uses (quote_id, order_id, account_id) values ($1, $2, $3)', [
    quoteId,
    id,
    accountId,
  ]);
}

type FirstRow = { id: string; content_hash: string; answer: string };

function toFirst(row: FirstRow): First {
  return { id: row.id, contentHash: row.content_hash, answer: row.answer };
}

/** Selects the columns that `toOrder` reads. */
export const ORDER = `
  select id, account_id, status, symbol, network, trim_scale(quantity)::text as quantity, currency,
         trim_scale(cost)::text as cost, trim_scale(price)::text as price, wallet_id, wallet_address, wallet_name,
         settlement_schedule, settlement_date, created_at, updated_at, external_id, quote_id, charge_id, fee_cents,
         price_source, price_at, quote_expires_at, due_cents, repriced_at, reprice_id, retry_id, hold_reason, held_at, last_error,
         waits_since, not_before, ended_as, ended_at, commitment_id, committed_cents, committed_fee_cents, event_count,
         created_by, repriced_by, approved_by, approved_at, approvals, settled_as
    from orders`;

/** An order; `accountId` restricts the search to one account. */
export async function findOrder(sql: Sql, id: string, accountId?: string): Promise<Order | undefined> {
  const [row] = await sql.query<OrderRow>(`${ORDER} where id = $1 and ($2::text is null or account_id = $2)`, [
    id,
    accountId ?? null,
  ]);
  return row && toOrder(row);
}

/**
 * Locks the row of an order until the transaction ends, and reads it. Lock its charge only after it, to prevent
 * deadlocks.
 */
export async function lockOrder(tx: Sql, id: string): Promise<Order | undefined> {
  const [row] = await tx.query<OrderRow>(`${ORDER} where id = $1 for update`, [id]);
  return row && toOrder(row);
}

/** Locks orders in the order of their ids, which prevents deadlocks. */
export async function lockOrders(tx: Sql, ids: readonly string[]): Promise<Order[]> {
  const rows = await tx.query<OrderRow>(`${ORDER} where id = any($1) order by id for update`, [ids]);
  return rows.map(toOrder);
}

export type HeldQuery = PageQuery & {
  readonly accountId?: string;
  readonly reason?: HoldReason;
  /** Any of these; every one when absent. */
  readonly reasons?: readonly HoldReason[];
};

/** Orders on hold, the longest held first, and their total number; both from one snapshot. */
export async function readHeldPage(sql: Sql, query: HeldQuery): Promise<{ orders: Order[]; total: number }> {
  const { where, limit, offset, values } = pageSql(
    query,
    { account_id: query.accountId, hold_reason: query.reason },
    'hold_reason is not null',
  );
  // The last value is the page number, which this statement does not use.
  const given = values.slice(0, -1);
  const held = query.reasons ? `${where} and hold_reason = any($${given.push(query.reasons)})` : where;
  const rows = await sql.query<OrderRow & { total: string }>(
    `with matching as (select count(*) as total from orders ${held}),
          page as (${ORDER} ${held} order by held_at, id limit ${limit} offset ${offset})
     select matching.total, page.* from matching left join page on true order by page.held_at, page.id`,
    given,
  );
  return { orders: rows.filter(row => row.id !== null).map(toOrder), total: Number(rows[0]!.total) };
}

export type HeldCount = { readonly reason: string; readonly count: number };

/** Orders on hold by reason. Counts only the `limit` longest held ones, so that the cost is bounded. */
export async function countHeldOrders(sql: Sql, limit: number): Promise<HeldCount[]> {
  const rows = await sql.query<{ reason: string; count: string }>(
    `select hold_reason as reason, count(*)
       from (select hold_reason from orders where hold_reason is not null order by held_at limit $1) held
      group by hold_reason`,
    [limit],
  );
  return rows.map(({ reason, count }) => ({ reason, count: Number(count) }));
}

export type TimelineEntry = { readonly at: Date; readonly event: OrderEventType; readonly holdReason?: HoldReason };

/** The events of an order, oldest first. */
export async function readTimeline(sql: Sql, order: Order): Promise<TimelineEntry[]> {
  const rows = await sql.query<{ type: OrderEventType; occurred_at: Date; hold_reason: HoldReason | null }>(
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

export type OrderRow = Row & {
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
  reprice_id: string | null;
  retry_id: string | null;
  hold_reason: HoldReason | null;
  held_at: Date | null;
  last_error: string | null;
  waits_since: Date | null;
  not_before: Date | null;
  ended_as: Ending | null;
  ended_at: Date | null;
  commitment_id: string | null;
  committed_cents: string | null;
  committed_fee_cents: string | null;
  event_count: number;
  created_by: string | null;
  repriced_by: string | null;
  approved_by: string | null;
  settled_as: MismatchSettlement | null;
  approved_at: Date | null;
  approvals: readonly { readonly by: string; readonly at: string }[] | null;
};

export function toOrder(row: OrderRow): Order {
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
    ...(row.reprice_id !== null && { repriceId: row.reprice_id }),
    ...(row.retry_id !== null && { retryId: row.retry_id }),
    ...(row.created_by !== null && { createdBy: row.created_by }),
    ...(row.repriced_by !== null && { repricedBy: row.repriced_by }),
    ...(row.settled_as !== null && { settledAs: row.settled_as }),
    ...(row.approved_by !== null &&
      row.approved_at !== null && { approval: { by: row.approved_by, at: row.approved_at } }),
    ...(row.approvals !== null && { approvals: row.approvals.map(({ by, at }) => ({ by, at: new Date(at) })) }),
    ...(row.hold_reason !== null && row.held_at !== null && { hold: { reason: row.hold_reason, at: row.held_at } }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    ...(row.waits_since !== null && { waitsSince: row.waits_since }),
    ...(row.not_before !== null && { notBefore: row.not_before }),
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
