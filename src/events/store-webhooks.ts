// The SQL of webhooks.
import type { PageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { Webhook } from './webhook.ts';

const COLUMNS = `id, account_id, url, types, enabled, disabled_reason, failing_since, last_error, last_error_at,
  created_at, updated_at`;
type Row = RowOf<Webhook>;
const toWebhook = recordOf<Webhook>(COLUMNS);

/**
 * Writes a webhook that receives every event that gets its position from now on. Returns false when the account, or the set of webhooks
 * of all accounts, is at its limit. Creations wait for each other, so that two cannot both take the last place. A second run finds the
 * first.
 */
export async function insertWebhook(
  tx: Sql,
  webhook: Webhook,
  { secret, limit }: { readonly secret: Buffer; readonly limit: number },
): Promise<boolean> {
  const { id, accountId = null, url, types = null, enabled, createdAt } = webhook;
  await tx.query('select from event_feed for update');
  const others = await tx.query(
    `select from webhooks where deleted_at is null and account_id is not distinct from $2 and id <> $1 limit $3`,
    [id, accountId, limit],
  );
  if (others.length >= limit) return false;
  await tx.query(
    `insert into webhooks (id, account_id, url, types, enabled, secret, from_position, created_at, updated_at)
     select $1, $2, $3, $4, $5, $6, position, $7, $7 from event_feed
     on conflict do nothing`,
    [id, accountId, url, types, enabled, secret, createdAt],
  );
  return true;
}

export async function findWebhook(sql: Sql, id: string): Promise<Webhook | undefined> {
  const [row] = await sql.query<Row>(`select ${COLUMNS} from webhooks where id = $1 and deleted_at is null`, [id]);
  return row && toWebhook(row);
}

/** Newest first. */
export async function readWebhooks(
  sql: Sql,
  query: PageQuery,
  accountId: string | undefined,
): Promise<{ webhooks: Webhook[]; total: number }> {
  const rows = await sql.query<Row & { total: string }>(
    `with matching as (select * from webhooks where deleted_at is null and ($3::text is null or account_id = $3)),
          page as (select * from matching order by created_at desc, id desc limit $1 offset $2)
     select counted.total, page.* from (select count(*) as total from matching) counted left join page on true
      order by page.created_at desc, page.id desc`,
    [query.pageSize, BigInt(query.page - 1) * BigInt(query.pageSize), accountId ?? null],
  );
  return { webhooks: rows.filter(row => row.id !== null).map(toWebhook), total: Number(rows[0]!.total) };
}

export type WebhookChange = {
  readonly url?: string | undefined;
  /** Null: every type. */
  readonly types?: readonly string[] | null | undefined;
  readonly enabled?: boolean | undefined;
};

/** Changes only the given fields. Enabling it again is a fresh start: everything pending is due, with all its attempts. */
export async function updateWebhook(
  sql: Sql,
  id: string,
  { url, types, enabled }: WebhookChange,
  now: Date,
): Promise<Webhook | undefined> {
  const [row] = await sql.query<Row>(
    `with due as (
       update webhook_deliveries d set next_at = least(d.next_at, $6), attempts = 0
         from webhooks w
        where w.id = $1 and $5::boolean and not w.enabled and d.webhook_id = w.id and d.state = 'pending'
          and (d.next_at > $6 or d.attempts > 0)
     )
     update webhooks
        set url = coalesce($2, url), types = case when $3::boolean then $4::text[] else types end,
            enabled = coalesce($5::boolean, enabled),
            disabled_reason = case when $5::boolean is null then disabled_reason end,
            failing_since = case when $5::boolean and not enabled then null else failing_since end, updated_at = $6
      where id = $1 and deleted_at is null returning ${COLUMNS}`,
    [id, url ?? null, types !== undefined, types ?? null, enabled ?? null, now],
  );
  return row && toWebhook(row);
}

export async function markDeleted(sql: Sql, id: string, now: Date): Promise<Webhook | undefined> {
  const [row] = await sql.query<Row>(
    `update webhooks set deleted_at = $2, enabled = false, updated_at = $2
      where id = $1 and deleted_at is null returning ${COLUMNS}`,
    [id, now],
  );
  return row && toWebhook(row);
}

/** The former secrets of `w` that still sign at $2, newest first. */
export const OLD_SECRETS = `(
  select coalesce(array_agg(old.secret order by old.until desc), '{}')
    from unnest(w.old_secrets, w.old_until) as old (secret, until) where old.until > $2)`;

/** The present secret keeps signing until a moment beside the new one, as do former ones that still sign. A second run changes nothing. */
export async function replaceSecret(
  sql: Sql,
  { id, secret, until, now }: { id: string; secret: Buffer; until: Date; now: Date },
): Promise<Webhook | undefined> {
  await sql.query(
    `update webhooks w
        set old_secrets = kept.secrets || w.secret, old_until = kept.until || $3::timestamptz, secret = $1, updated_at = $2
       from (select coalesce(array_agg(old.secret), '{}') as secrets, coalesce(array_agg(old.until), '{}') as until
               from webhooks o, unnest(o.old_secrets, o.old_until) as old (secret, until)
              where o.id = $4 and old.until > $2) kept
      where w.id = $4 and w.deleted_at is null and w.secret <> $1`,
    [secret, now, until, id],
  );
  return findWebhook(sql, id);
}

/** The stored secrets that sign at a moment, newest first. */
export async function readSecrets(sql: Sql, id: string, now: Date): Promise<Buffer[]> {
  const [row] = await sql.query<{ secret: Buffer; old: Buffer[] }>(
    `select w.secret, ${OLD_SECRETS} as old from webhooks w where w.id = $1`,
    [id, now],
  );
  return row ? [row.secret, ...row.old] : [];
}
