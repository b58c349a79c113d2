// The SQL of deliveries in progress: claimed by one node, sent, ended.
import type { Sql } from '../storage/database.ts';
import { pendingBeside } from './store-fan-out.ts';
import { EVENT_JSON } from './store-feed.ts';
import { OLD_SECRETS } from './store-webhooks.ts';
import { CONCURRENCY_WHEN_FAILING } from './webhook.ts';

/** A delivery that this node has claimed. */
export type Claimed = {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly claim: string;
  readonly round: number;
  /** Attempts of this round, including this one. */
  readonly attempts: number;
  /** The number of this attempt in all rounds. */
  readonly number: number;
  readonly url: string;
  /** In their stored form. */
  readonly secrets: readonly Buffer[];
  readonly eventId: string;
  readonly objectId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly json: string;
};

/** Longer than an attempt takes: a delivery still claimed after that belonged to a node that died. */
const LEASE_SECONDS = 25;
const IS_FREE = '(d.claimed_until is null or d.claimed_until <= now())';

/**
 * Claims due deliveries, for every enabled webhook as many as it may get at once, and records an attempt for each before it is made. Only
 * the earliest pending delivery of an object is claimed, and no other node claims it until its lease expires. The lease uses the
 * database's own time: business time may be moved while a socket is open.
 */
export async function claimDue(
  sql: Sql,
  { claim, now, limit, perWebhook }: { claim: string; now: Date; limit: number; perWebhook: number },
): Promise<Claimed[]> {
  const rows = await sql.query<ClaimedRow>(
    `with open as materialized (
       select w.id,
              case when w.failing_since is null then $4::integer else ${CONCURRENCY_WHEN_FAILING} end
                - (select count(*) from webhook_deliveries c
                    where c.webhook_id = w.id and c.claim is not null and c.claimed_until > now()) as room
         from webhooks w
        where w.enabled
          and exists (select from webhook_deliveries d
                       where d.webhook_id = w.id and d.state = 'pending' and d.next_at <= $2 and ${IS_FREE})
        order by w.failing_since nulls first, w.id
        for no key update of w skip locked
     ), chosen as (
       select head.id, head.account_id
         from open cross join lateral (
           select d.id, d.account_id from webhook_deliveries d
            where d.webhook_id = open.id and d.state = 'pending' and d.next_at <= $2 and ${IS_FREE}
              and not exists (select from webhook_deliveries e
                               where ${pendingBeside('e', 'd')} and e.position < d.position)
            order by d.next_at, d.position
            limit greatest(open.room, 0)
            for update skip locked
         ) head
        limit $3
     ), claimed as (
       update webhook_deliveries d
          set claim = $1, claimed_until = now() + ${LEASE_SECONDS} * interval '1 second', attempts = d.attempts + 1,
              sent = d.sent + 1
         from chosen c
        where d.id = c.id and d.account_id = c.account_id
       returning d.*
     ), noted as (
       insert into webhook_attempts (delivery_id, account_id, number, started_at)
       select id, account_id, sent, $2 from claimed
     )
     select d.id, d.account_id, d.webhook_id, d.round, d.attempts, d.sent, w.url, w.secret,
            ${OLD_SECRETS} as old_secrets,
            e.id as event_id, e.object_id, e.type, iso_utc(e.occurred_at) as occurred_at, ${EVENT_JSON} as json
       from claimed d
       join webhooks w on w.id = d.webhook_id
       join events e on e.id = d.event_id and e.account_id = d.account_id
      order by d.position, d.id`,
    [claim, now, limit, perWebhook],
  );
  return rows.map(row => toClaimed(row, claim));
}

type ClaimedRow = {
  id: string;
  account_id: string;
  webhook_id: string;
  round: number;
  attempts: number;
  sent: number;
  url: string;
  secret: Buffer;
  old_secrets: Buffer[];
  event_id: string;
  object_id: string;
  type: string;
  occurred_at: string;
  json: string;
};

function toClaimed(row: ClaimedRow, claim: string): Claimed {
  return {
    id: row.id,
    accountId: row.account_id,
    webhookId: row.webhook_id,
    claim,
    round: row.round,
    attempts: row.attempts,
    number: row.sent,
    url: row.url,
    secrets: [row.secret, ...row.old_secrets],
    eventId: row.event_id,
    objectId: row.object_id,
    type: row.type,
    occurredAt: row.occurred_at,
    json: row.json,
  };
}

/** The outcome of an attempt, for its log. */
type AttemptEnd = {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly answer?: string | undefined;
  readonly latencyMs: number;
};

/** The next state of the delivery. */
export type DeliveryEnd =
  | { readonly kind: 'delivered' }
  /** `nextAt` is absent when it is given up; `message`: what went wrong; `isGone`: the receiver answered 410. */
  | { readonly kind: 'failed'; readonly nextAt?: Date | undefined; readonly message: string; readonly isGone: boolean }
  /** The attempt was interrupted, through no fault of the receiver. */
  | { readonly kind: 'interrupted' };

/** The end of one attempt. */
export type Ended = { readonly delivery: Claimed; readonly attempt: AttemptEnd; readonly end: DeliveryEnd };

/**
 * Writes the ends of attempts, many in one statement; a second run changes nothing. If the lease expired and another node has claimed the
 * delivery, only the attempt is written; if the delivery was requested again meanwhile, it stays pending.
 */
export async function endAttempts(sql: Sql, ended: readonly Ended[], now: Date): Promise<void> {
  // Planned each time, with the number of ids: a cached plan would keep reading all of a table that was small once.
  const ids = ended.map(({ delivery }) => delivery.id);
  await sql.query(END_ATTEMPTS, [JSON.stringify(ended.map(endRecord)), now, ids]);
}

function endRecord({ delivery, attempt, end }: Ended) {
  return {
    delivery_id: delivery.id,
    account_id: delivery.accountId,
    claim: delivery.claim,
    number: delivery.number,
    round: delivery.round,
    state: stateAfter(end),
    next_at: end.kind === 'failed' ? end.nextAt : undefined,
    is_interrupted: end.kind === 'interrupted',
    failure: end.kind === 'failed' ? end.message : undefined,
    is_gone: end.kind === 'failed' && end.isGone,
    latency_ms: attempt.latencyMs,
    status: attempt.status,
    error: attempt.error,
    answer: attempt.answer,
  };
}

const END_ATTEMPTS = `
  with ending as materialized (
    select * from json_to_recordset($1) as ending (
      delivery_id uuid, account_id text, claim uuid, number integer, round integer, state text, next_at timestamptz,
      is_interrupted boolean, failure text, is_gone boolean, latency_ms integer, status integer, error text, answer text)
  ), ended as (
    update webhook_deliveries d
       set claim = null, claimed_until = null,
           state = case when d.round = e.round then e.state else d.state end,
           attempts = case when d.round = e.round and e.is_interrupted then greatest(0, d.attempts - 1) else d.attempts end,
           next_at = case when d.round = e.round then coalesce(e.next_at, d.next_at) else d.next_at end,
           delivered_at = case when d.round = e.round and e.state = 'delivered' then $2::timestamptz else d.delivered_at end
      from ending e
     where d.id = any($3) and d.id = e.delivery_id and d.account_id = e.account_id and d.claim = e.claim
    returning d.webhook_id, d.object_id, d.position, d.next_at, e.state as outcome, e.next_at as retry_at, e.is_interrupted,
              e.failure, e.is_gone
  ), attempts as (
    update webhook_attempts a set latency_ms = e.latency_ms, status = e.status, error = e.error, answer = e.answer
      from ending e
     where a.delivery_id = any($3) and a.delivery_id = e.delivery_id and a.account_id = e.account_id and a.number = e.number
  ), waiting as (
    -- Later events of the object wait with a failed one, and are due with a delivered one.
    update webhook_deliveries d
       set next_at = case when ended.outcome = 'delivered' then $2::timestamptz else ended.next_at end
      from ended
     where ${pendingBeside('d', 'ended')} and d.position > ended.position
       and case when ended.outcome = 'delivered' then d.next_at > $2::timestamptz
                else ended.retry_at is not null and d.next_at < ended.next_at end
  ), health as (
    select webhook_id, bool_or(failure is null) as has_success, max(failure) as failure, bool_or(is_gone) as is_gone
      from ended where not is_interrupted group by webhook_id
  )
  update webhooks w
     set failing_since = case when h.has_success then null else coalesce(w.failing_since, $2::timestamptz) end,
         last_error = coalesce(h.failure, w.last_error),
         last_error_at = case when h.failure is null then w.last_error_at else $2::timestamptz end,
         enabled = w.enabled and not h.is_gone,
         disabled_reason = case when h.is_gone and w.enabled then 'gone' else w.disabled_reason end
    from health h
   where w.id = h.webhook_id and (h.failure is not null or w.failing_since is not null)`;

function stateAfter(end: DeliveryEnd): string {
  if (end.kind === 'delivered') return 'delivered';
  return end.kind === 'failed' && !end.nextAt ? 'failed' : 'pending';
}
