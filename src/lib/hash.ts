// SHA-256 hashes of content, as hexadecimal text.
import { hash } from 'node:crypto';

export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined };

/** Equal content has the same hash, independent of the order of keys. */
export function contentHash(value: Plain): string {
  return textHash(JSON.stringify(ordered(value)));
}

/** Returns text, because a Buffer would need its own allocation. */
export function textHash(text: string): string {
  return hash('sha256', text, 'hex');
}

function ordered(value: Plain | undefined): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, ordered(item)]) };
}
