// What is odd about a file without making it unreadable. The same oddity of many lines is one warning.

/** `count` lines, the first of them `line`; line 0 concerns the whole file. */
export type Warning = { readonly message: string; readonly line: number; readonly count: number };

/** More kinds of oddities than a person reads; a damaged file may have one a line. */
const MAX_KINDS = 100;

export type Warnings = { add(message: string, line?: number): void; list(): readonly Warning[] };

export function collectWarnings(): Warnings {
  const known = new Map<string, { line: number; count: number }>();
  return {
    add(message, line = 0) {
      const same = known.get(message);
      if (same) same.count++;
      else if (known.size < MAX_KINDS) known.set(message, { line, count: 1 });
    },
    list: () => [...known].map(([message, where]) => ({ message, ...where })),
  };
}
