// What is asked for over and over and never changes is worked out once.

const MOST = 1_000;

/** The same function of a number or a word, which remembers what it has found; all is forgotten when that becomes much. */
export function remembered<K extends number | string, T>(workOut: (of: K) => T): (of: K) => T {
  const known = new Map<K, T>();
  return of => {
    const found = known.get(of);
    if (found !== undefined) return found;
    if (known.size >= MOST) known.clear();
    const fresh = workOut(of);
    known.set(of, fresh);
    return fresh;
  };
}
