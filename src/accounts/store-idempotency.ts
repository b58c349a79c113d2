// All SQL of idempotency keys: the caller's own word for one attempt, and what was made under it.
import { run, type Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';

export type KeyUse = { readonly contentHash: string; readonly objectId: string; readonly accountId: string };

export type NewKeyUse = KeyUse & { readonly scope: string; readonly key: string; readonly at: Date };

/** Takes a key for an object; when it is taken, waits until its holder is done and returns what it was used for. */
export async function takeKey(tx: Sql, scope: string, key: string, use: KeyUse, at: Date): Promise<KeyUse | undefined> {
  const [row] = await run<{ all: boolean }>(tx, keysInsertion([{ ...use, scope, key, at }], { orNothing: false }));
  return row!.all ? undefined : findKeyUse(tx, scope, key);
}

/**
 * Takes keys for objects, and says whether all were free; with `orNothing` it fails with the objects whose key is not. Waits for
 * those who are about to take one of them, in the one order that keeps two who take many from blocking each other.
 */
export function keysInsertion(uses: readonly NewKeyUse[], { orNothing }: { readonly orNothing: boolean }): Statement {
  return {
    name: 'take_keys',
    text: `with taken as (
             insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
             select scope, key, decode(content_hash, 'hex'), object_id, account_id, created_at
               from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::timestamptz[])
                 as use (scope, key, content_hash, object_id, account_id, created_at)
              order by scope, key
             on conflict (scope, key) do nothing
             returning object_id)
           select all_written(array_agg(object_id::text), $4::uuid[]::text[], $7) as all from taken`,
    values: [
      uses.map(use => use.scope),
      uses.map(use => use.key),
      uses.map(use => use.contentHash),
      uses.map(use => use.objectId),
      uses.map(use => use.accountId),
      uses.map(use => use.at),
      orNothing,
    ],
  };
}

/** What a key was used for, when it was. */
export async function findKeyUse(sql: Sql, scope: string, key: string): Promise<KeyUse | undefined> {
  const [row] = await sql.query<{ content_hash: string; object_id: string; account_id: string }>(
    `select encode(content_hash, 'hex') as content_hash, object_id, account_id
       from idempotency_keys where scope = $1 and key = $2`,
    [scope, key],
  );
  return row && { contentHash: row.content_hash, objectId: row.object_id, accountId: row.account_id };
}

/** Lets a key that was just taken stand for the object that was there before. */
export async function pointKeyAt(tx: Sql, scope: string, key: string, objectId: string): Promise<void> {
  await tx.query('update idempotency_keys set object_id = $3 where scope = $1 and key = $2', [scope, key, objectId]);
}
