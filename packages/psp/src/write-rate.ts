// A limit of creating calls a second, by the clock of the machine: a test's clock may stand still.

type RateLimit = {
  /** False when the second has no call left. */
  take(): boolean;
};

export function createRateLimit(perSecond: number, nowMs: () => number = () => performance.now()): RateLimit {
  if (perSecond === 0) return { take: () => true };
  let left = perSecond;
  let beganMs = Number.NEGATIVE_INFINITY;
  return {
    take: () => {
      const atMs = nowMs();
      if (atMs - beganMs >= 1000) {
        beganMs = atMs;
        left = perSecond;
      }
      return left-- > 0;
    },
  };
}
