// A cache of API keys: a busy key costs one lookup per second, not one per request. Every node sees a created or revoked key within a
// second, because nothing older is used.
import type { Clock } from '../lib/clock.ts';
import type { Sql } from '../storage/database.ts';
import { type ApiKey, findKey, listKeyIds } from './store-keys.ts';

export type KeyCache = {
  /** The key, read at most `maxAgeMs` ago; undefined when there was no such key. Concurrent callers share one query. */
  find(id: string, maxAgeMs?: number): Promise<ApiKey | undefined>;
  /** The key as last read, at most an hour ago. Does not query the database. */
  recall(id: string): ApiKey | undefined;
};

type Deps = {
  readonly db: Sql;
  /** The machine's time, which a sandbox does not move. */
  readonly machineClock: Clock;
};

type LookUp = {
  /** When the lookup began: its result is from then or later. */
  readonly askedMs: number;
  readonly key: Promise<ApiKey | undefined>;
  isUnderWay: boolean;
  hasFailed: boolean;
  /** The result of this lookup, or of the previous one while this one is running or has failed. */
  last: { readonly key: ApiKey | undefined; readonly atMs: number } | undefined;
};

/** Ids without a known key that came since `startMs`. */
type UnknownIds = {
  readonly startMs: number;
  count: number;
  /** The ids of all keys, once too many unknown ids came for single lookups. */
  ids?: Promise<ReadonlySet<string>>;
};

/** Together with the duration of a lookup, this stays below a second. */
const MAX_AGE_MS = 900;
const RECALL_LIMIT_MS = 3_600_000;
/** Unknown ids are cached too, so that a caller with a bad key costs no more than one with a good key. */
const MAX_IDS = 10_000;
/** The most unknown ids that are looked up one by one within MAX_AGE_MS. Beyond it the ids of all keys are read once. */
const MAX_UNKNOWN_IDS = 50;

export function keyCache({ db, machineClock }: Deps): KeyCache {
  /** In the order in which they were asked for. */
  const lookUps = new Map<string, LookUp>();

  function ask(id: string, nowMs: number): LookUp {
    const last = lookUps.get(id)?.last;
    const key = findKey(db, id);
    const lookUp: LookUp = { askedMs: nowMs, key, isUnderWay: true, hasFailed: false, last };
    lookUp.key.then(
      found => {
        lookUp.isUnderWay = false;
        lookUp.last = { key: found, atMs: nowMs };
      },
      () => {
        lookUp.isUnderWay = false;
        lookUp.hasFailed = true;
      },
    );
    lookUps.delete(id);
    lookUps.set(id, lookUp);
    const [oldest] = lookUps.keys();
    if (lookUps.size > MAX_IDS && oldest !== undefined) lookUps.delete(oldest);
    return lookUp;
  }

  let unknownIds: UnknownIds = { startMs: 0, count: 0 };

  /** Looks up an id that has no known key. Limited, so that a caller who invents ids does not cause a query for each of them. */
  async function askForUnknownId(id: string, nowMs: number): Promise<ApiKey | undefined> {
    const ageMs = nowMs - unknownIds.startMs;
    if (ageMs < 0 || ageMs >= MAX_AGE_MS) unknownIds = { startMs: nowMs, count: 0 };
    const current = unknownIds;
    if (++current.count <= MAX_UNKNOWN_IDS) return ask(id, nowMs).key;
    current.ids ??= listKeyIds(db).catch((error: unknown) => {
      delete current.ids;
      throw error;
    });
    const ids = await current.ids;
    return ids.has(id) ? ask(id, nowMs).key : undefined;
  }

  async function find(id: string, maxAgeMs = MAX_AGE_MS): Promise<ApiKey | undefined> {
    const nowMs = machineClock.now().getTime();
    const known = lookUps.get(id);
    // A machine's clock may be set back: a result that seems to come from the future is not used.
    const ageMs = known ? nowMs - known.askedMs : Number.NaN;
    const isFresh = known && !known.hasFailed && ageMs >= 0 && ageMs < maxAgeMs;
    if (isFresh) return known.key;
    if (known?.isUnderWay) {
      // One at a time: when one hangs, a second one would hang too and take another connection. All fail with the first.
      await known.key;
      return find(id, maxAgeMs);
    }
    return known?.last?.key ? ask(id, nowMs).key : askForUnknownId(id, nowMs);
  }

  return {
    find,

    recall: id => {
      const last = lookUps.get(id)?.last;
      const isRecent = last && machineClock.now().getTime() - last.atMs < RECALL_LIMIT_MS;
      return isRecent ? last.key : undefined;
    },
  };
}
