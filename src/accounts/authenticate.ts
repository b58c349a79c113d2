// Authenticates the key of a request with a short cache: every node refuses a revoked key within a second.
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import { isOutage } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import { hashOfKey } from './api-key.ts';
import { type Caller, callerByKey } from './caller.ts';
import { keyCache } from './key-cache.ts';
import { type ApiKey, markUsed } from './store-keys.ts';

type Deps = { readonly db: Sql; readonly clock: Clock; readonly machineClock: Clock; readonly log: Log };

type Freshness = {
  /** The maximum age of the cached key; just below a second when absent. */
  readonly maxAgeMs?: number;
  /** Use the last known state of the key while the database does not answer. For routes that must answer even then. */
  readonly mayRecall?: boolean;
};

type Authenticator = {
  /** Whose key this is; undefined when it is unknown, revoked or expired. */
  authenticate(id: string, text: string, freshness?: Freshness): Promise<Caller | undefined>;
  /** Whether this node found a key with this id within the last hour. */
  isKnown(id: string): boolean;
};

/** The last use of a key is written at most once in this time, so that a busy key does not write with every request. */
const WRITE_USE_EVERY_MS = 60_000;
/** How long to wait for the database before the last known state is used. */
const RECALL_AFTER_MS = 1_000;

export function authenticator(deps: Deps): Authenticator {
  const keys = keyCache(deps);
  /** When this node last wrote the use of each key, in milliseconds. Only valid keys have an entry. */
  const lastWrittenMs = new Map<string, number>();

  /** Writes in the background: no request waits for it or fails with it. */
  function recordUse(keyId: string): void {
    const now = deps.clock.now();
    const before = lastWrittenMs.get(keyId);
    if (before !== undefined && now.getTime() - before < WRITE_USE_EVERY_MS) return;
    lastWrittenMs.set(keyId, now.getTime());
    markUsed(deps.db, keyId, now).catch(error =>
      deps.log.warn('the last use of a key was not written', { keyId, error }),
    );
  }

  async function findOrRecall(id: string): Promise<ApiKey | undefined> {
    const found = keys.find(id);
    try {
      const late = wait(RECALL_AFTER_MS, 'late' as const, { ref: false });
      const first = await Promise.race([found, late]);
      if (first !== 'late') return first;
    } catch (error) {
      if (!isOutage(error)) throw error;
    }
    return keys.recall(id) ?? found;
  }

  return {
    authenticate: async (id, text, { maxAgeMs, mayRecall = false } = {}) => {
      const key = await (mayRecall ? findOrRecall(id) : keys.find(id, maxAgeMs));
      if (!key || !timingSafeEqual(key.secretHash, hashOfKey(text)) || key.revokedAt) return undefined;
      if (key.expiresAt && key.expiresAt <= deps.clock.now()) return undefined;
      recordUse(key.id);
      return callerByKey(key);
    },
    isKnown: id => keys.recall(id) !== undefined,
  };
}
