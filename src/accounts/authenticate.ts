// Who is calling: a key is looked up with every request, so that one that is revoked is refused at once on every node.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import { hashOfKey } from './api-key.ts';
import type { Scope } from './scopes.ts';
import { findKey, markUsed } from './store-keys.ts';

/** The one account that the caller acts for, and what it may do there. */
export type Caller = { readonly accountId: string; readonly keyId: string; readonly scopes: readonly Scope[] };

type Deps = { readonly db: Sql; readonly clock: Clock; readonly log: Log };

/** Last use is noted once in this time, so that a busy key does not write with every request. */
const NOTE_EVERY_MS = 60_000;

/** A function that tells whose key this is; nothing for one that is unknown or revoked. */
export function authenticator(deps: Deps): (id: string, text: string) => Promise<Caller | undefined> {
  /** When this node noted each key's use, in milliseconds. As many entries as keys that were good. */
  const noted = new Map<string, number>();

  /** Goes on by itself: no request waits for it, and none fails with it. */
  function noteUse(keyId: string): void {
    const now = deps.clock.now();
    const before = noted.get(keyId);
    if (before !== undefined && now.getTime() - before < NOTE_EVERY_MS) return;
    noted.set(keyId, now.getTime());
    markUsed(deps.db, keyId, now).catch(error => deps.log.warn('the use of a key could not be noted', { error }));
  }

  return async (id, text) => {
    const key = await findKey(deps.db, id);
    if (!key || !timingSafeEqual(key.secretHash, hashOfKey(text)) || key.revokedAt) return undefined;
    noteUse(key.id);
    return { accountId: key.accountId, keyId: key.id, scopes: key.scopes };
  };
}
