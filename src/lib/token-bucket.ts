// A limit on how often something may happen: each name has a bucket of tokens that fills up evenly.
import type { Clock } from './clock.ts';

export type Taken = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Seconds until the bucket is full, and until there is a token again. */
  readonly fullInSeconds: number;
  readonly nextInSeconds: number;
};

type Bucket = { tokens: number; atMs: number };

const MAX_BUCKETS = 10_000;

/** Lets each name take `perSecond` tokens a second, and as many at once after a pause. */
export function tokenBuckets(perSecond: number, clock: Pick<Clock, 'now'>): { take(name: string): Taken } {
  const buckets = new Map<string, Bucket>();

  function bucketOf(name: string, nowMs: number): Bucket {
    const found = buckets.get(name);
    if (found) return found;
    // The oldest is forgotten, which at worst means that it is full again.
    const [oldest] = buckets.size < MAX_BUCKETS ? [] : buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
    const fresh = { tokens: perSecond, atMs: nowMs };
    buckets.set(name, fresh);
    return fresh;
  }

  return {
    take: name => {
      const nowMs = clock.now().getTime();
      const bucket = bucketOf(name, nowMs);
      // A machine's clock may be set back.
      const elapsedMs = Math.max(0, nowMs - bucket.atMs);
      bucket.tokens = Math.min(perSecond, bucket.tokens + (elapsedMs * perSecond) / 1000);
      bucket.atMs = nowMs;
      const isAllowed = bucket.tokens >= 1;
      if (isAllowed) bucket.tokens--;
      return {
        isAllowed,
        remaining: Math.floor(bucket.tokens),
        fullInSeconds: Math.ceil((perSecond - bucket.tokens) / perSecond),
        nextInSeconds: Math.ceil(Math.max(0, 1 - bucket.tokens) / perSecond),
      };
    },
  };
}
