// The SQL of idempotency keys and of the objects that were created under them.

import type { Sql } from '../storage/database.ts';

type KeyUse = { readonly contentHash: string; readonly objectId: string; readonly accountId: string };

export type NewKeyUse = KeyUse & { readonly scope: string; readonly key: string; readonly at: Date };

/** Takes a key for an object. If it is taken, waits for the transaction that took it and returns its use. */
export async function takeKey(tx: Sql, scope: string, key: string, use: KeyUse, at: Date): Promise<KeyUse | undefined> {
  const taken = await takeKeys(tx, [{ ...use, scope, key, at }]);
  return taken.has(use.objectId) ? undefined : findKeyUse(tx, scope, key);
}

/**
 * Takes keys for objects and returns the ids of the objects whose key was free. Waits for open transactions that have taken
 * one of them. The fixed order prevents a deadlock of two batches.
 */
export async function takeKeys(tx: Sql, uses: readonly NewKeyUse[]): Promise<ReadonlySet<string>> {
  if (uses.length === 0) return new Set();
  const rows = await tx.query<{ object_id: string }>(
    `insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
     select scope, key, decode(content_hash, 'hex'), object_id, account_id, created_at
       from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::timestamptz[])
         as use (scope, key, content_hash, object_id, account_id, created_at)
      order by scope, key
     on conflict (scope, key) do nothing
     returning object_id`,
    [
      uses.map(use => use.scope),
      uses.map(use => use.key),
      uses.map(use => use.contentHash),
      uses.map(use => use.objectId),
      uses.map(use => use.accountId),
      uses.map(use => use.at),
    ],
    { name: 'take_keys' },
  );
  return new Set(rows.map(row => row.object_id));
}

/** Releases keys that this transaction has taken for objects that it did not write. */
export async function releaseKeys(tx: Sql, uses: readonly NewKeyUse[]): Promise<void> {
  await tx.query(
    `delete from idempotency_keys k using unnest($1::text[], $2::text[]) as use (scope, key)
      where k.scope = use.scope and k.key = use.key`,
    [uses.map(use => use.scope), uses.map(use => use.key)],
  );
}

/** The use of a key, if any. */
export async function findKeyUse(sql: Sql, scope: string, key: string): Promise<KeyUse | undefined> {
  const [row] = await sql.query<{ content_hash: string; object_id: string; account_id: string }>(
    `select encode(content_hash, 'hex') as content_hash, object_id, account_id
       from idempotency_keys where scope = $1 and key = $2`,
    [scope, key],
  );
  return row && { contentHash: row.content_hash, objectId: row.object_id, accountId: row.account_id };
}

/** Points a key that was just taken to the existing object. */
export async function pointKeyAt(tx: Sql, scope: string, key: string, objectId: string): Promise<void> {
  await tx.query('update idempotency_keys set object_id = $3 where scope = $1 and key = $2', [scope, key, objectId]);
}

/** Deletes some of the oldest keys that were taken before a moment, and returns their times in order. */
export async function deleteOldKeys(sql: Sql, before: Date, from: Date, limit: number): Promise<Date[]> {
  const rows = await sql.query<{ created_at: Date }>(
    `with old as (
       select scope, key from idempotency_keys where created_at >= $1 and created_at < $2
        order by created_at limit $3 for update skip locked
     ), gone as (
       delete from idempotency_keys k using old where k.scope = old.scope and k.key = old.key
       returning k.created_at
     )
     select created_at from gone order by created_at`,
    [from, before, limit],
  );
  return rows.map(({ created_at: createdAt }) => createdAt);
}

export async function findOldestKeyAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ created_at: Date }>(
    'select created_at from idempotency_keys order by created_at limit 1',
  );
  return row?.created_at;
}
