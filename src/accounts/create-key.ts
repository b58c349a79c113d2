// Creates and revokes API keys.
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, invalidRequest, noSuch } from '../lib/errors.ts';
import type { Database, Sql } from '../storage/database.ts';
import { hashOfKey, newKey } from './api-key.ts';
import { deleteLinksOf } from './people/store-link-requests.ts';
import { insertNotices } from './people/store-notices.ts';
import { type Reach, reachOf, scopesWithin } from './reach.ts';
import type { Scope } from './scopes.ts';
import { accountExists } from './store.ts';
import { type ApiKey, findKey, insertKey, lockKey, markRevoked, markRevokedOf } from './store-keys.ts';
import { listMakers } from './store-makers.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

type NewKey = {
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** When absent, its scopes decide. */
  readonly reach?: Reach;
  readonly name?: string;
  /** The actor, as in the audit log. */
  readonly createdBy: string;
  /** When it expires; when absent, it is valid until it is revoked. */
  readonly expiresAt?: Date;
};

/**
 * Creates a key and returns its text, which is not stored and cannot be shown again. Refuses an account that does not exist, an
 * expiry that is not in the future or later than that of the key that makes it (which is also the default), and, for a key of one
 * account, scopes that only apply to all accounts.
 */
export async function createKey(deps: Deps, input: NewKey): Promise<{ id: string; text: string; expiresAt?: Date }> {
  const createdAt = deps.clock.now();
  if (input.expiresAt && input.expiresAt <= createdAt) {
    throw invalidRequest([{ path: 'expiresAt', code: 'past', message: 'must be later than now' }]);
  }
  const reach = input.reach === 'account' ? input.reach : reachOf(input.scopes);
  const within = scopesWithin(reach, input.scopes);
  const faults = input.scopes.flatMap((scope, index) =>
    within.includes(scope)
      ? []
      : [{ path: `scopes[${index}]`, code: 'beyond_account', message: `${scope} concerns all accounts` }],
  );
  if (faults.length > 0) throw invalidRequest(faults);
  const key = newKey();
  return deps.db.transaction(async tx => {
    setAuditObject(key.id);
    if (!(await accountExists(tx, input.accountId))) throw noSuch('account');
    const limit = await endOfMaker(tx, input.createdBy);
    if (input.expiresAt && limit && input.expiresAt > limit) {
      const message = `must not be later than the end of the key that makes it, ${limit.toISOString()}`;
      throw invalidRequest([{ path: 'expiresAt', code: 'too_late', message }]);
    }
    const expiresAt = input.expiresAt ?? limit;
    const ends = expiresAt && { expiresAt };
    await insertKey(tx, { ...input, ...ends, reach, id: key.id, secretHash: hashOfKey(key.text), createdAt });
    await insertNotices(tx, await peopleBehind(tx, input.createdBy), {
      at: createdAt,
      what: 'key',
      by: input.createdBy,
    });
    return { ...key, ...ends };
  });
}

/** Who is shown a new key: the people among its makers. */
async function peopleBehind(tx: Sql, actor: string): Promise<readonly string[]> {
  const makers = await listMakers(tx, [actor]);
  return [...makers].filter(maker => maker.startsWith('person:')).map(maker => maker.slice('person:'.length));
}

/** When the making key expires. Locks it, so that a revocation finds the keys that it made. */
async function endOfMaker(tx: Sql, createdBy: string): Promise<Date | undefined> {
  if (!createdBy.startsWith('key:')) return undefined;
  const maker = await lockKey(tx, createdBy.slice('key:'.length));
  if (!maker || maker.revokedAt) throw new AppError('unauthorized', 'The key that makes this one is revoked.');
  return maker.expiresAt;
}

/** A key, even a revoked one; only of one account, if given. */
export async function requireKey(sql: Sql, id: string, accountId?: string): Promise<ApiKey> {
  const key = await findKey(sql, id);
  if (!key || (accountId !== undefined && key.accountId !== accountId)) {
    throw noSuch('key');
  }
  return key;
}

/**
 * After the commit every node refuses the key and all keys that it made, directly or indirectly; returns the ids of these. Their unused
 * login links end too. Idempotent.
 */
export async function revokeKey(deps: Deps, id: string): Promise<readonly string[]> {
  const at = deps.clock.now();
  return deps.db.transaction(async tx => {
    setAuditObject(id);
    if (!(await markRevoked(tx, id, at))) throw noSuch('key');
    const made: string[] = [];
    // Level by level: the keys of one level are locked before what they made is read, so nothing is added behind it.
    for (let level = [id]; level.length > 0; ) {
      level = await markRevokedOf(tx, level, at);
      made.push(...level);
    }
    await deleteLinksOf(
      tx,
      [id, ...made].map(one => `key:${one}`),
    );
    return made;
  });
}
