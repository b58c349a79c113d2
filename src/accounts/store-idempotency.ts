// All SQL of idempotency keys: the caller's own word for one attempt, and what was made under it.
import type { Sql } from '../storage/database.ts';

export type KeyUse = { readonly contentHash: Buffer; readonly objectId: string; readonly accountId: string };

/** Takes a key for an object; when it is taken, waits until its holder is done and returns what it was used for. */
export async function takeKey(tx: Sql, scope: string, key: string, use: KeyUse, at: Date): Promise<KeyUse | undefined> {
  const taken = await tx.query(
    `insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (scope, key) do nothing
     returning key`,
    [scope, key, use.contentHash, use.objectId, use.accountId, at],
  );
  return taken.length > 0 ? undefined : findKeyUse(tx, scope, key);
}

/** What a key was used for, when it was. */
export async function findKeyUse(sql: Sql, scope: string, key: string): Promise<KeyUse | undefined> {
  const [row] = await sql.query<{ content_hash: Buffer; object_id: string; account_id: string }>(
    `select content_hash, object_id, account_id from idempotency_keys where scope = $1 and key = $2`,
    [scope, key],
  );
  return row && { contentHash: row.content_hash, objectId: row.object_id, accountId: row.account_id };
}

/** Lets a key that was just taken stand for the object that was there before. */
export async function pointKeyAt(tx: Sql, scope: string, key: string, objectId: string): Promise<void> {
  await tx.query('update idempotency_keys set object_id = $3 where scope = $1 and key = $2', [scope, key, objectId]);
}
