// Limits attempts at guessing: a number within a window of time, counted for each name. Each node counts its own.
import type { Clock } from './clock.ts';

type AttemptLimit = {
  /** Counts one, and says whether it is within the limit. */
  take(name: string): boolean;
  /** Whether the name has one left, without counting. */
  hasLeft(name: string): boolean;
};

const MAX_NAMES = 10_000;

export function attemptLimit(max: number, windowMs: number, clock: Pick<Clock, 'now'>): AttemptLimit {
  /** The moments of the attempts within the window, by name; the name tried last is at the end. */
  const attempts = new Map<string, readonly number[]>();

  function recent(name: string): readonly number[] {
    const nowMs = clock.now().getTime();
    // A machine's clock may be set back: an attempt of the future counts until then, at most a window long.
    return (attempts.get(name) ?? []).filter(atMs => Math.abs(nowMs - atMs) < windowMs);
  }

  return {
    take: name => {
      const before = recent(name);
      if (before.length >= max) return false;
      attempts.delete(name);
      attempts.set(name, [...before, clock.now().getTime()]);
      const [oldest] = attempts.keys();
      if (attempts.size > MAX_NAMES && oldest !== undefined) attempts.delete(oldest);
      return true;
    },
    hasLeft: name => recent(name).length < max,
  };
}
