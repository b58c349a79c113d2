// The SQL of lists of deliveries, and of requesting one again.
import type { PageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { DeliveryState } from './webhook.ts';

type Attempt = {
  readonly at: Date;
  readonly status?: number;
  readonly latencyMs?: number;
  readonly error?: string;
  readonly answer?: string;
};

export type Delivery = {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly objectId: string;
  readonly state: DeliveryState;
  /** When it is tried next, while pending. */
  readonly nextAttemptAt?: Date;
  readonly deliveredAt?: Date;
  readonly createdAt: Date;
  /** The newest ones, oldest first. */
  readonly attempts: readonly Attempt[];
};

/** More than a delivery gets before it is given up. */
const ATTEMPTS_SHOWN = 20;

const DELIVERY = `
  select d.id, d.webhook_id, d.event_id, e.type as event_type, d.object_id, d.position, d.state, d.next_at, d.delivered_at, d.created_at,
         coalesce((select json_agg(json_build_object('at', iso_utc(a.started_at), 'status', a.status,
                                                     'latency_ms', a.latency_ms, 'error', a.error, 'answer', a.answer)
                                   order by a.number)
                     from (select * from webhook_attempts a
                            where a.delivery_id = d.id and a.account_id = d.account_id
                            order by a.number desc limit ${ATTEMPTS_SHOWN}) a), '[]') as attempts
    from webhook_deliveries d join events e on e.id = d.event_id and e.account_id = d.account_id`;

/** Newest events first. */
export async function readDeliveries(
  sql: Sql,
  webhookId: string,
  { page, pageSize, state }: PageQuery & { readonly state?: DeliveryState | undefined },
): Promise<{ deliveries: Delivery[]; total: number }> {
  const which = state === undefined ? 'webhook_id = $1' : 'webhook_id = $1 and state = $4';
  const rows = await sql.query<Row & { total: string }>(
    `with matching as (select count(*) as total from webhook_deliveries where ${which}),
          page as (select id from webhook_deliveries where ${which} order by position desc, id desc limit $2 offset $3),
          shown as (${DELIVERY} where d.id in (select id from page))
     select matching.total, shown.* from matching left join shown on true order by shown.position desc, shown.id desc`,
    [webhookId, pageSize, BigInt(page - 1) * BigInt(pageSize), ...(state === undefined ? [] : [state])],
  );
  return { deliveries: rows.filter(row => row.id !== null).map(toDelivery), total: Number(rows[0]!.total) };
}

/** Begins a new round of a delivery, due now. */
export async function sendAgain(sql: Sql, webhookId: string, id: string, now: Date): Promise<Delivery | undefined> {
  await sql.query(
    `update webhook_deliveries
        set state = 'pending', round = round + 1, attempts = 0, next_at = $3, delivered_at = null
      where id = $1 and webhook_id = $2`,
    [id, webhookId, now],
  );
  const [row] = await sql.query<Row>(`${DELIVERY} where d.id = $1 and d.webhook_id = $2`, [id, webhookId]);
  return row && toDelivery(row);
}

type Row = RowOf<Omit<Delivery, 'attempts' | 'nextAttemptAt'>> & {
  next_at: Date;
  attempts: readonly (RowOf<Omit<Attempt, 'at'>> & { at: string })[];
};

const toPlain = recordOf<Omit<Delivery, 'attempts' | 'nextAttemptAt'>>(
  'id, webhook_id, event_id, event_type, object_id, state, delivered_at, created_at',
);
const toAttempt = recordOf<Omit<Attempt, 'at'>>('status, latency_ms, error, answer');

function toDelivery(row: Row): Delivery {
  return {
    ...toPlain(row),
    ...(row.state === 'pending' && { nextAttemptAt: row.next_at }),
    attempts: row.attempts.map(attempt => ({ at: new Date(attempt.at), ...toAttempt(attempt) })),
  };
}
