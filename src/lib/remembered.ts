// What is asked for over and over and never changes is worked out once.

const MOST = 1_000;

/** The same function of a number, which remembers what it has found; all is forgotten when that becomes much. */
export function remembered<T>(workOut: (of: number) => T): (of: number) => T {
  const known = new Map<number, T>();
  return of => {
    const found = known.get(of);
    if (found !== undefined) return found;
    if (known.size >= MOST) known.clear();
    const fresh = workOut(of);
    known.set(of, fresh);
    return fresh;
  };
}
