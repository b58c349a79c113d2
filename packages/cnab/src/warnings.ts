// Warnings about a file that can still be read. The same one for many lines is one warning.

/** `count` lines, the first of them `line`; line 0 is the complete file. */
export type Warning = { readonly message: string; readonly line: number; readonly count: number };

/** More warnings than a person reads; a damaged file may have one per line. */
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
