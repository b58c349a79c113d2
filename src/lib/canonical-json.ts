// The canonical form of JSON (RFC 8785) for text, whole numbers, booleans, lists and objects: equal values have equal bytes, so that they
// can be signed.

/** Throws for unsupported values: fractions, numbers beyond 2^53, undefined. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') {
    // The default order compares UTF-16 code units, as the RFC requires.
    const names = Object.keys(value).toSorted();
    return `{${names.map(name => `${JSON.stringify(name)}:${canonicalJson(Reflect.get(value, name))}`).join(',')}}`;
  }
  throw new TypeError(`canonical JSON has no ${typeof value} such as this`);
}

const STRING_OR_SPACE = /("(?:[^"\\]|\\.)*")|\s+/g;

/**
 * Whether a JSON text has no repeated fields: a reader may see the first of two fields of the same name, and `JSON.parse` keeps the last.
 */
export function isPlainJson(text: string, value: unknown): boolean {
  return text.replace(STRING_OR_SPACE, '$1') === JSON.stringify(value);
}
