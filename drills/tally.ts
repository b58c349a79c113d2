// How many writes were acknowledged, and the longest time without one.

export type Tally = {
  /** A write was acknowledged. */
  note(): void;
  acknowledged(): number;
  longestGapMs(): number;
  /** Nothing is written until `resume`: that time is no gap. */
  pause(): void;
  resume(): void;
};

export function createTally(): Tally {
  let acknowledged = 0;
  let longestMs = 0;
  let sinceMs: number | undefined = performance.now();
  const longestGapMs = () => Math.max(longestMs, sinceMs === undefined ? 0 : performance.now() - sinceMs);
  return {
    note: () => {
      acknowledged++;
      longestMs = longestGapMs();
      if (sinceMs !== undefined) sinceMs = performance.now();
    },
    acknowledged: () => acknowledged,
    longestGapMs,
    pause: () => {
      longestMs = longestGapMs();
      sinceMs = undefined;
    },
    resume: () => {
      sinceMs = performance.now();
    },
  };
}
