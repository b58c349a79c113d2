// The SQL of how far deliveries are behind, for the metrics. Every count has a limit, so that it costs the same at any size.
import type { Sql } from '../storage/database.ts';

export type DeliveryLag = {
  /** Deliveries that wait for enabled webhooks: new ones, and those to be tried again. */
  readonly pending: number;
  /** Since when the longest due delivery has been waiting. */
  readonly oldestDueAt?: Date;
  /** Enabled webhooks whose last delivery failed. */
  readonly failingWebhooks: number;
  /** Events whose deliveries have not been written yet. */
  readonly waitingEvents: number;
};

/** Deliveries of disabled webhooks are not counted: they wait on purpose. */
export async function readDeliveryLag(sql: Sql, now: Date, limit: number): Promise<DeliveryLag> {
  const [row] = await sql.query<{ pending: string; oldest: Date | null; failing: string; waiting: string }>(
    `select (select count(*)
               from (select from webhooks w
                      cross join lateral (select from webhook_deliveries d
                                           where d.webhook_id = w.id and d.state = 'pending' limit $2) d
                      where w.enabled limit $2) pending) as pending,
            (select min(first.next_at)
               from webhooks w
              cross join lateral (select d.next_at from webhook_deliveries d
                                   where d.webhook_id = w.id and d.state = 'pending' order by d.next_at limit 1) first
              where w.enabled and first.next_at <= $1) as oldest,
            (select count(*)
               from (select from webhooks where enabled and failing_since is not null limit $2) failing) as failing,
            (select f.position - r.position from event_feed f, event_readers r where r.name = 'webhooks')
              + (select count(*) from (select from unpositioned_events limit $2) unpositioned) as waiting`,
    [now, limit],
  );
  return {
    pending: Number(row!.pending),
    failingWebhooks: Number(row!.failing),
    waitingEvents: Number(row!.waiting),
    ...(row!.oldest && { oldestDueAt: row!.oldest }),
  };
}
