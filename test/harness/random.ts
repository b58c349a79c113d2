// A seeded generator: the same numbers give the same values, so that a failed case can be repeated.

export type Random = {
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** A random subset. */
  some<T>(items: readonly T[]): T[];
};

/** The generator of one case: mulberry32, seeded with both numbers. */
export function randomOf(seed: number, index: number): Random {
  let state = (seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: probability => next() < probability,
    pick: items => items[below(items.length)]!,
    some: items => items.filter(() => next() < 0.5),
  };
}
