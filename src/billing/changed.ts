// A record with the changes that a request names.

/** What is undefined stays, and null removes. */
export type Changes<T> = { readonly [Field in keyof T]?: T[Field] | null | undefined };

export function changed<T extends object>(before: T, changes: Changes<T>): T {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after = Object.entries({ ...before, ...Object.fromEntries(given) }).filter(([, value]) => value !== null);
  return Object.fromEntries(after) as T;
}
