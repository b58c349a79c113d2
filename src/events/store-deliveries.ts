// SQL of deliveries on their way: claimed by one node, sent, ended.
import type { Sql } from '../storage/database.ts';
import { EVENT_JSON } from './store-feed.ts';
import { OLD_SECRETS } from './store-webhooks.ts';
import { OBJECTS_AT_ONCE, OBJECTS_AT_ONCE_WHEN_FAILING } from './webhook.ts';

/** A delivery that this node has in hand. */
export type Claimed = {
  readonly id: string;
  readonly accountId: string;
  readonly webhookId: string;
  readonly claim: string;
  readonly round: number;
  /** Sendings of this round, this one included. */
  readonly attempts: number;
  /** The number of this sending among all. */
  readonly number: number;
  readonly url: string;
  readonly secrets: readonly Buffer[];
  readonly eventId: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly json: string;
};

/** Longer than a sending takes: what is still claimed after that was left behind by a node that died. */
const LEASE_SECONDS = 30;
const IS_FREE = '(d.claimed_until is null or d.claimed_until <= now())';

/**
 * Takes deliveries that are due, for every enabled webhook as many as it may hear at once, and notes an attempt for each
 * before it is made. Of an object only the earliest pending one is taken, and nobody else takes it until its lease is over.
 * The lease runs in the database's own time: business time may be moved while a socket is open.
 */
export async function claimDue(
  sql: Sql,
  { claim, now, limit }: { claim: string; now: Date; limit: number },
): Promise<Claimed[]> {
  const rows = await sql.query<ClaimedRow>(
    `with open as materialized (
       select w.id,
              case when w.failing_since is null then ${OBJECTS_AT_ONCE} else ${OBJECTS_AT_ONCE_WHEN_FAILING} end
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
                               where e.webhook_id = d.webhook_id and e.object_id = d.object_id and e.state = 'pending'
                                 and e.position < d.position)
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
            e.id as event_id, e.type, iso_utc(e.occurred_at) as occurred_at, ${EVENT_JSON} as json
       from claimed d
       join webhooks w on w.id = d.webhook_id
       join events e on e.id = d.event_id and e.account_id = d.account_id
      order by d.position, d.id`,
    [claim, now, limit],
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
    type: row.type,
    occurredAt: row.occurred_at,
    json: row.json,
  };
}

/** How a sending went, for its log. */
export type AttemptEnd = {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  readonly answer?: string | undefined;
  readonly latencyMs: number;
};

/** What becomes of the delivery. */
export type DeliveryEnd =
  | { readonly kind: 'delivered' }
  /** `nextAt` is absent when it is given up; `words` say what went wrong; `isGone`: the address wants nothing any more. */
  | { readonly kind: 'failed'; readonly nextAt?: Date | undefined; readonly words: string; readonly isGone: boolean }
  /** Never came to its end, through no fault of the address. */
  | { readonly kind: 'interrupted' };

/**
 * Writes how a sending ended, all at once; a second run changes nothing. When the lease was over and somebody else has taken
 * the delivery, only the log is written; when it was asked for again meanwhile, it stays pending.
 */
export async function endAttempt(sql: Sql, delivery: Claimed, attempt: AttemptEnd, end: DeliveryEnd, now: Date) {
  await sql.query(
    `with ended as (
       update webhook_deliveries
          set claim = null, claimed_until = null,
              state = case when round = $5::integer then $6::text else state end,
              attempts = case when round = $5::integer then greatest(0, attempts - $8::integer) else attempts end,
              next_at = case when round = $5::integer then coalesce($7::timestamptz, next_at) else next_at end,
              delivered_at = case when round = $5::integer and $6::text = 'delivered' then $9::timestamptz else delivered_at end
        where id = $1 and account_id = $2 and claim = $3
       returning webhook_id, object_id, position, next_at
     ), noted as (
       update webhook_attempts set latency_ms = $10, status = $11, error = $12, answer = $13
        where delivery_id = $1 and account_id = $2 and number = $4
     ), waiting as (
       -- Later events of the object wait with a failed one, and are due with a delivered one.
       update webhook_deliveries d
          set next_at = case when $6::text = 'delivered' then $9::timestamptz else ended.next_at end
         from ended
        where d.webhook_id = ended.webhook_id and d.object_id = ended.object_id
          and d.state = 'pending' and d.position > ended.position
          and case when $6::text = 'delivered' then d.next_at > $9::timestamptz
                   else $7::timestamptz is not null and d.next_at < ended.next_at end
     )
     update webhooks w
        set failing_since = case when $14::text is null then null else coalesce(w.failing_since, $9::timestamptz) end,
            last_error = coalesce($14::text, w.last_error),
            last_error_at = case when $14::text is null then w.last_error_at else $9::timestamptz end,
            enabled = w.enabled and not $15::boolean,
            disabled_reason = case when $15::boolean and w.enabled then 'gone' else w.disabled_reason end
       from ended
      where w.id = ended.webhook_id and $8::integer = 0 and ($14::text is not null or w.failing_since is not null)`,
    [
      delivery.id,
      delivery.accountId,
      delivery.claim,
      delivery.number,
      delivery.round,
      stateAfter(end),
      (end.kind === 'failed' && end.nextAt) || null,
      end.kind === 'interrupted' ? 1 : 0,
      now,
      attempt.latencyMs,
      attempt.status ?? null,
      attempt.error ?? null,
      attempt.answer ?? null,
      end.kind === 'failed' ? end.words : null,
      end.kind === 'failed' && end.isGone,
    ],
  );
}

function stateAfter(end: DeliveryEnd): string {
  if (end.kind === 'delivered') return 'delivered';
  return end.kind === 'failed' && !end.nextAt ? 'failed' : 'pending';
}
