// Caches the results of a pure function.

const MAX_RESULTS = 1_000;

/** A memoized function of a number or a text. When the cache is full it is cleared. */
export function memoize<K extends number | string, T>(compute: (key: K) => T): (key: K) => T {
  const results = new Map<K, T>();
  return key => {
    const known = results.get(key);
    if (known !== undefined) return known;
    if (results.size >= MAX_RESULTS) results.clear();
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}
