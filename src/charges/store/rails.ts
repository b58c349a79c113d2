// The SQL of rails and of notifications from their banks.
import { randomBytes } from 'node:crypto';
import type { Rail } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import { firstComparison } from './compare-day.ts';

const TOKEN_BYTES = 24;

/**
 * From when to ask a bank that used to work by files: payments since its last return will not be in any file. A return of a Monday may
 * lack payments since Friday. The bank lists few days at a time, hence the limit.
 */
const SINCE_LAST_RETURN = `
  greatest((select max(least(r.made_on::timestamp at time zone 'America/Sao_Paulo', r.received_at)) - interval '3 days'
              from boleto_returns r where r.rail = rails.name),
           excluded.seen_until - interval '30 days')`;

/** Records new rails, and those whose banks are polled from now on; returns the rails that are no longer configured. */
export async function recordRails(
  tx: Sql,
  rails: readonly Rail[],
  at: Date,
): Promise<{ readonly name: string; readonly method: string }[]> {
  const { comparedDay, nextAt } = firstComparison(at);
  const [names, methods] = [rails.map(({ name }) => name), rails.map(({ method }) => method)];
  await tx.query(
    `insert into rails (name, method, path_token, seen_until, next_look_at, compared_day, next_compare_at)
     select name, method, path_token, case when is_by_time then $5::timestamptz end, case when is_by_time then $5 end,
            case when is_by_time then $6::date end, case when is_by_time then $7::timestamptz end
       from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as new (name, method, path_token, is_by_time)
     on conflict (name, method) do update
        set seen_until = ${SINCE_LAST_RETURN}, next_look_at = excluded.next_look_at,
            compared_day = excluded.compared_day, next_compare_at = excluded.next_compare_at
      where rails.seen_until is null and excluded.seen_until is not null`,
    [
      names,
      methods,
      rails.map(() => randomBytes(TOKEN_BYTES).toString('base64url')),
      rails.map(({ watch }) => watch?.by === 'time'),
      at,
      comparedDay,
      nextAt,
    ],
  );
  return tx.query<{ name: string; method: string }>(
    `select name, method from rails
      where (name, method) not in (select * from unnest($1::text[], $2::text[]))
      order by name`,
    [names, methods],
  );
}

/** Whether a charge of the rail may still be paid, refunded or taken back. */
export async function isNeeded(
  tx: Sql,
  { name, method }: { readonly name: string; readonly method: string },
  expiredSince: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `select from charge_methods m
       join charges c on c.id = m.charge_id and c.account_id = m.account_id
      where m.rail = $1 and m.method = $2 and m.status <> 'FAILED' and c.expire_at > $3
      limit 1`,
    [name, method, expiredSince],
  );
  return rows.length > 0;
}

/** The rails that this service has, or has had, and those of them whose banks list every pix. */
export type RailNames = { readonly all: readonly string[]; readonly listing: ReadonlySet<string> };

export async function findRailNames(sql: Sql): Promise<RailNames> {
  const rows = await sql.query<{ name: string; is_listing: boolean }>(
    'select name, bool_or(seen_until is not null) as is_listing from rails group by name',
    [],
    { name: 'find_rail_names' },
  );
  const listing = rows.filter(({ is_listing }) => is_listing);
  return { all: rows.map(({ name }) => name), listing: new Set(listing.map(({ name }) => name)) };
}

type Look = { readonly seenUntil: Date };

/** The next look at a rail, if it is due. */
export async function findDueLook(sql: Sql, { name, method }: Rail, now: Date): Promise<Look | undefined> {
  const [row] = await sql.query<{ seen_until: Date }>(
    'select seen_until from rails where name = $1 and method = $2 and next_look_at <= $3',
    [name, method, now],
  );
  return row && { seenUntil: row.seen_until };
}

export async function endLook(sql: Sql, { name, method }: Rail, seenUntil: Date, nextAt: Date): Promise<void> {
  await sql.query(
    `update rails set seen_until = greatest(seen_until, $3), silent_since = null, next_look_at = $4
      where name = $1 and method = $2`,
    [name, method, seenUntil, nextAt],
  );
}

export async function markSilent(sql: Sql, { name, method }: Rail, at: Date, nextAt: Date): Promise<void> {
  await sql.query(
    'update rails set silent_since = coalesce(silent_since, $3), next_look_at = $4 where name = $1 and method = $2',
    [name, method, at, nextAt],
  );
}

export type RailRecord = {
  readonly name: string;
  readonly method: string;
  readonly pathToken: string;
  readonly seenUntil?: Date;
  readonly silentSince?: Date;
  /** When a day was last compared with the bank, and the number of differences. */
  readonly compared?: { readonly at: Date; readonly differences: number };
};

export async function readRails(sql: Sql): Promise<RailRecord[]> {
  const rows = await sql.query<{
    name: string;
    method: string;
    path_token: string;
    seen_until: Date | null;
    silent_since: Date | null;
    compared_at: Date | null;
    differences: number | null;
  }>(
    `select name, method, path_token, seen_until, silent_since, compared_at, differences
       from rails order by name, method`,
  );
  return rows.map(row => ({
    name: row.name,
    method: row.method,
    pathToken: row.path_token,
    ...(row.seen_until && { seenUntil: row.seen_until }),
    ...(row.silent_since && { silentSince: row.silent_since }),
    ...(row.compared_at && { compared: { at: row.compared_at, differences: row.differences ?? 0 } }),
  }));
}

export type Notification = {
  readonly id: string;
  readonly rail: string;
  readonly body: string;
  readonly receivedAt: Date;
};

export async function insertNotifications(tx: Sql, notifications: readonly Notification[]): Promise<void> {
  await tx.query(
    `insert into notifications (id, rail, body, received_at)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[])
     on conflict (id) do nothing`,
    [
      notifications.map(({ id }) => id),
      notifications.map(({ rail }) => rail),
      notifications.map(({ body }) => body),
      notifications.map(({ receivedAt }) => receivedAt),
    ],
  );
}

/** The notifications that were not handled yet. */
export async function findNotifications(sql: Sql, ids: readonly string[]): Promise<Notification[]> {
  const rows = await sql.query<{ id: string; rail: string; body: string; received_at: Date }>(
    'select id, rail, body, received_at from notifications where id = any($1) and handled_at is null',
    [ids],
  );
  return rows.map(({ received_at, ...row }) => ({ ...row, receivedAt: received_at }));
}

export async function markHandled(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  await sql.query('update notifications set handled_at = $2 where id = any($1)', [ids, at]);
}

/** Deletes some of the notifications that were handled between two moments, and returns when each was, in this order. */
export async function deleteHandled(sql: Sql, from: Date, before: Date, limit: number): Promise<Date[]> {
  const rows = await sql.query<{ handled_at: Date }>(
    `with old as (
       select id from notifications where handled_at >= $1 and handled_at < $2
        order by handled_at limit $3 for update skip locked
     ), gone as (
       delete from notifications n using old where n.id = old.id returning n.handled_at
     )
     select handled_at from gone order by handled_at`,
    [from, before, limit],
  );
  return rows.map(row => row.handled_at);
}

export async function findOldestHandledAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ handled_at: Date }>(
    'select handled_at from notifications where handled_at is not null order by handled_at limit 1',
  );
  return row?.handled_at;
}
