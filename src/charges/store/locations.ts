// The SQL of the locations that rails keep for new charges.
import assert from 'node:assert/strict';
import type { Location, Rail } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

/** Whether the locations of a rail are to be filled now. */
export async function isFillDue(sql: Sql, { name, method }: Rail, now: Date): Promise<boolean> {
  const rows = await sql.query(
    'select from rails where name = $1 and method = $2 and (next_fill_at is null or next_fill_at <= $3)',
    [name, method, now],
  );
  return rows.length > 0;
}

export async function endFill(sql: Sql, { name, method }: Rail, nextAt: Date): Promise<void> {
  await sql.query('update rails set next_fill_at = $3 where name = $1 and method = $2', [name, method, nextAt]);
}

export type LocationWish = { readonly rail: string; readonly kind: string };

/** How many free locations there are, counted up to a limit. */
export async function countFree(sql: Sql, { rail, kind }: LocationWish, limit: number): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::integer as count from (
       select from rail_locations where rail = $1 and kind = $2 and charge_id is null limit $3) as free`,
    [rail, kind, limit],
  );
  return row!.count;
}

/** False when the rail has given this location before. */
export async function insertLocation(
  sql: Sql,
  { rail, kind }: LocationWish,
  { id, url }: Location,
  at: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `insert into rail_locations (rail, kind, id, url, created_at) values ($1, $2, $3, $4, $5)
     on conflict (rail, url) do nothing
     returning url`,
    [rail, kind, id, url, at],
  );
  return rows.length > 0;
}

/**
 * Locks a free location for each wish, oldest first, while there are any, and returns them by rail and kind. Skips those that another
 * transaction has locked: waiting for them would take longer than asking the bank.
 */
export async function lockLocations(tx: Sql, wishes: readonly LocationWish[]): Promise<Map<string, Location[]>> {
  const counts = new Map<string, { readonly wish: LocationWish; count: number }>();
  for (const wish of wishes) {
    const key = `${wish.rail} ${wish.kind}`;
    counts.set(key, { wish, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const wanted = [...counts.values()];
  const rows = await tx.query<{ rail: string; kind: string } & Location>(
    `select wanted.rail, wanted.kind, free.id, free.url
       from unnest($1::text[], $2::text[], $3::integer[]) as wanted (rail, kind, count)
      cross join lateral (
            select l.id, l.url from rail_locations l
             where l.rail = wanted.rail and l.kind = wanted.kind and l.charge_id is null
             order by l.created_at, l.url
             limit wanted.count
               for update skip locked) as free`,
    [wanted.map(({ wish }) => wish.rail), wanted.map(({ wish }) => wish.kind), wanted.map(({ count }) => count)],
  );
  const locked = new Map<string, Location[]>();
  for (const { rail, kind, id, url } of rows) {
    const key = `${rail} ${kind}`;
    locked.set(key, [...(locked.get(key) ?? []), { id, url }]);
  }
  return locked;
}

/** Assigns locations to new charges for good; the transaction has locked them, so each is free. */
export async function giveLocations(tx: Sql, charges: readonly Charge[]): Promise<void> {
  const given = charges.flatMap(({ id, accountId, methods }) =>
    methods.flatMap(({ rail, location }) => (location ? { id, accountId, rail, url: location.url } : [])),
  );
  if (given.length === 0) return;
  const rows = await tx.query(
    `update rail_locations l set charge_id = given.charge_id, account_id = given.account_id
       from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as given (rail, url, charge_id, account_id)
      where l.rail = given.rail and l.url = given.url and l.charge_id is null
      returning l.url`,
    [
      given.map(({ rail }) => rail),
      given.map(({ url }) => url),
      given.map(({ id }) => id),
      given.map(({ accountId }) => accountId),
    ],
  );
  assert.equal(rows.length, given.length, 'a location is assigned once');
}
