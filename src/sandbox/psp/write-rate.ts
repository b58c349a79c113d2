// A limit of creating calls a second, by the clock of the machine: a test's clock may stand still.

export type RateLimit = {
  /** False when the second has no call left. */
  take(): boolean;
};

export function createRateLimit(perSecond: number): RateLimit {
  if (perSecond === 0) return { take: () => true };
  let left = perSecond;
  let beganMs = 0;
  return {
    take: () => {
      const nowMs = performance.now();
      if (nowMs - beganMs >= 1000) {
        beganMs = nowMs;
        left = perSecond;
      }
      return left-- > 0;
    },
  };
}
