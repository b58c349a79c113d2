// Creates and revokes API keys.
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import type { Database, Sql } from '../storage/database.ts';
import { hashOfKey, newKey } from './api-key.ts';
import { type Reach, reachOf, scopesWithin } from './reach.ts';
import type { Scope } from './scopes.ts';
import { accountExists } from './store.ts';
import { type ApiKey, findKey, insertKey, markRevoked } from './store-keys.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

export type NewKey = {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Absent: as far as its scopes go. */
  readonly reach?: Reach;
  readonly name?: string;
  /** When it ends; absent, it is good until it is revoked. */
  readonly expiresAt?: Date;
};

/**
 * Creates a key and returns its text, which is not stored and cannot be shown again. Refuses an account that does not
 * exist, an end that is not later than now, and for one account alone a scope that only reaches all.
 */
export async function createKey(deps: Deps, input: NewKey): Promise<{ id: string; text: string; expiresAt?: Date }> {
  const { expiresAt } = input;
  const createdAt = deps.clock.now();
  if (expiresAt && expiresAt <= createdAt) {
    throw invalidRequest([{ path: 'expiresAt', code: 'past', message: 'must be later than now' }]);
  }
  const reach = input.reach === 'account' ? input.reach : reachOf(input.scopes);
  const within = scopesWithin(reach, input.scopes);
  const faults = input.scopes.flatMap((scope, index) =>
    within.includes(scope)
      ? []
      : [{ path: `scopes[${index}]`, code: 'beyond_account', message: `${scope} is about all accounts` }],
  );
  if (faults.length > 0) throw invalidRequest(faults);
  const key = { ...newKey(), ...(expiresAt && { expiresAt }) };
  await deps.db.transaction(async tx => {
    setAuditObject(key.id);
    if (!(await accountExists(tx, input.accountId))) throw new AppError('not_found', 'There is no such account.');
    await insertKey(tx, { ...input, reach, id: key.id, secretHash: hashOfKey(key.text), createdAt });
  });
  return key;
}

/** A key, also a revoked one; of one account, when it is named. */
export async function requireKey(sql: Sql, id: string, accountId?: string): Promise<ApiKey> {
  const key = await findKey(sql, id);
  if (!key || (accountId !== undefined && key.accountId !== accountId)) {
    throw new AppError('not_found', 'There is no such key.');
  }
  return key;
}

/** After the commit every node refuses the key. Idempotent. */
export async function revokeKey(deps: Deps, id: string): Promise<void> {
  const at = deps.clock.now();
  await deps.db.transaction(async tx => {
    setAuditObject(id);
    if (!(await markRevoked(tx, id, at))) throw new AppError('not_found', 'There is no such key.');
  });
}
