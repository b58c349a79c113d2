// Random numbers and ids from a seed, so that a run with faults can be repeated.

export type Random = {
  /** From 0 to below 1. */
  next(): number;
  letters(length: number): string;
};

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** The generator mulberry32: 32 bits of state are plenty for tests. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    letters: length => {
      let word = '';
      for (let index = 0; index < length; index++) word += ALPHABET[Math.floor(next() * ALPHABET.length)];
      return word;
    },
  };
}
