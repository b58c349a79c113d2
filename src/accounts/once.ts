// Making a thing once, however often it is asked for: by the caller's externalId, by an Idempotency-Key, or both. A repeat is
// answered with the first answer, to the letter.
import assert from 'node:assert/strict';
import { AppError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Sql } from '../storage/database.ts';
import { findKeyUse, pointKeyAt, takeKey } from './store-idempotency.ts';

/** What makes two requests one. */
export type Claim = {
  readonly hash: string;
  /** As versions before this one made it: what was written by them is still found again. */
  readonly formerHash?: () => string;
  /** Whose idempotency keys these are. */
  readonly scope: string;
  readonly key: string | undefined;
};

/** What a repeat is compared with and answered with. */
export type First = { readonly id: string; readonly contentHash: string; readonly answer: string };

type Named = { readonly accountId: string; readonly externalId?: string };
type Fresh = Named & { readonly id: string; readonly createdAt: Date };

/** How things of one kind are found again. */
export type Records = {
  byId(sql: Sql, accountId: string, id: string): Promise<First | undefined>;
  byExternalId(sql: Sql, accountId: string, externalId: string): Promise<First | undefined>;
  /** The refusal of an externalId that stands for other content. */
  conflict(firstId: string): AppError;
};

/** Every caller of a sandbox is the same caller. */
const SANDBOX_SCOPE = 'sandbox';

export function scopeOf(mode: Mode, accountId: string): string {
  return mode === 'sandbox' ? SANDBOX_SCOPE : accountId;
}

/** What the same request has made before, when it has. */
export async function findEarlier(
  sql: Sql,
  records: Records,
  claim: Claim,
  { accountId, externalId }: Named,
): Promise<First | undefined> {
  const { scope, key } = claim;
  const use = key === undefined ? undefined : await findKeyUse(sql, scope, key);
  if (use) return isSame(claim, use) ? records.byId(sql, use.accountId, use.objectId) : undefined;
  if (externalId === undefined) return undefined;
  const first = await records.byExternalId(sql, accountId, externalId);
  return first && isSame(claim, first) ? first : undefined;
}

/** Lets a key stand for a thing that is there already. Refuses one that stands for another content. */
export async function lendKey(
  tx: Sql,
  claim: Claim,
  thing: { readonly objectId: string; readonly accountId: string },
  at: Date,
): Promise<void> {
  const { hash, scope, key } = claim;
  if (key === undefined) return;
  const use = await takeKey(tx, scope, key, { ...thing, contentHash: hash }, at);
  if (use && !isSame(claim, use)) throw keyReused();
}

/**
 * Writes a thing with `insert`, which says false when its id or externalId is taken, or returns the one that was there
 * first. The unique indexes on key and externalId let one of many through; the others wait in the insert until that one is
 * committed or undone. Refuses a repeat with other content.
 */
export async function writeOnce(
  tx: Sql,
  records: Records,
  claim: Claim,
  { id, accountId, externalId, createdAt }: Fresh,
  insert: () => Promise<boolean>,
): Promise<First | undefined> {
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
  assert(first, 'what was in the way is there');
  if (!isSame(claim, first)) throw records.conflict(first.id);
  if (key !== undefined) await pointKeyAt(tx, scope, key, first.id);
  return first;
}

/** Whether what was written before has the same content. */
export function isSame(claim: Claim, { contentHash }: Pick<First, 'contentHash'>): boolean {
  return contentHash === claim.hash || contentHash === claim.formerHash?.();
}

function keyReused(): AppError {
  return new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
}
