// Idempotent creation: an object is written once, however often it is requested. A repeat is detected by externalId, by
// Idempotency-Key, or both, and gets the stored first answer.
import assert from 'node:assert/strict';
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findKeyUse, pointKeyAt, takeKey } from './store-idempotency.ts';

/** What identifies repeats of a request: the content hash and, if sent, the idempotency key. */
export type RequestIdentity = {
  readonly hash: string;
  /** The namespace of the idempotency key. */
  readonly scope: string;
  readonly key: string | undefined;
};

/** An object that an earlier request created, and its content hash, to compare. */
export type FirstOne = { readonly id: string; readonly contentHash: string };

/** With the stored answer, where a repeat gets the same one. */
export type First = FirstOne & { readonly answer: string };

type Named = { readonly accountId: string; readonly externalId?: string };
type NewObject = Named & { readonly id: string; readonly createdAt: Date };

/** How objects of one kind are looked up. */
export type Records<F extends FirstOne = First> = {
  byId(sql: Sql, accountId: string, id: string): Promise<F | undefined>;
  byExternalId(sql: Sql, accountId: string, externalId: string): Promise<F | undefined>;
  /** The refusal of an externalId that was used with other content. */
  conflict(firstId: string): AppError;
};

/** The object that the same request created before, if it did. */
export async function findEarlier<F extends FirstOne>(
  sql: Sql,
  records: Records<F>,
  claim: RequestIdentity,
  { accountId, externalId }: Named,
): Promise<F | undefined> {
  const { scope, key } = claim;
  const use = key === undefined ? undefined : await findKeyUse(sql, scope, key);
  if (use) return isSame(claim, use) ? records.byId(sql, use.accountId, use.objectId) : undefined;
  if (externalId === undefined) return undefined;
  const first = await records.byExternalId(sql, accountId, externalId);
  return first && isSame(claim, first) ? first : undefined;
}

/** Binds a key to an existing object. Refuses a key that was used with other content. */
export async function bindKey(
  tx: Sql,
  claim: RequestIdentity,
  object: { readonly objectId: string; readonly accountId: string },
  at: Date,
): Promise<void> {
  const { hash, scope, key } = claim;
  if (key === undefined) return;
  const use = await takeKey(tx, scope, key, { ...object, contentHash: hash }, at);
  if (use && !isSame(claim, use)) throw keyReused();
}

/**
 * Writes an object with `insert`, which returns false when its id or externalId is taken; then returns the existing object.
 * The unique indexes on key and externalId let one of many concurrent requests through; the others wait in the insert until
 * that one commits or rolls back. Refuses a repeat with other content.
 */
export async function writeOnce<F extends FirstOne>(
  tx: Sql,
  records: Records<F>,
  claim: RequestIdentity,
  { id, accountId, externalId, createdAt }: NewObject,
  insert: () => Promise<boolean>,
): Promise<F | undefined> {
  const { hash, scope, key } = claim;
  if (key !== undefined) {
    const use = await takeKey(tx, scope, key, { contentHash: hash, objectId: id, accountId }, createdAt);
    if (use) {
      if (!isSame(claim, use)) throw keyReused();
      return records.byId(tx, use.accountId, use.objectId);
    }
  }
  if (await insert()) return undefined;
  const first =
    externalId === undefined
      ? await records.byId(tx, accountId, id)
      : await records.byExternalId(tx, accountId, externalId);
  assert(first, 'the row that caused the conflict exists');
  if (!isSame(claim, first)) throw records.conflict(first.id);
  if (key !== undefined) await pointKeyAt(tx, scope, key, first.id);
  return first;
}

/** Whether the earlier object has the same content. */
export function isSame(claim: RequestIdentity, { contentHash }: Pick<FirstOne, 'contentHash'>): boolean {
  return contentHash === claim.hash;
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
}
