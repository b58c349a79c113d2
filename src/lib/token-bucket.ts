// Rate limiting: each name has a token bucket that fills at a constant rate.
import type { Clock } from './clock.ts';

type Taken = {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Seconds until the bucket is full, and until the next token. */
  readonly fullInSeconds: number;
  readonly nextInSeconds: number;
};

type Bucket = { tokens: number; atMs: number };

const MAX_BUCKETS = 10_000;

type TokenBuckets = {
  take(name: string): Taken;
  /** Returns a token that was taken. */
  giveBack(name: string): void;
};

/** Each name may take `perSecond` tokens per second; a full bucket allows as many at once. */
export function tokenBuckets(perSecond: number, clock: Pick<Clock, 'now'>): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  function bucketOf(name: string, nowMs: number): Bucket {
    const found = buckets.get(name);
    if (found) return found;
    // Drop the oldest bucket; at worst that name gets a full bucket again.
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
      // The clock of the machine may be set back.
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
    giveBack: name => {
      const bucket = buckets.get(name);
      if (bucket) bucket.tokens = Math.min(perSecond, bucket.tokens + 1);
    },
  };
}
