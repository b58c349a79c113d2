// A fingerprint of a value's content: the same for equal content, however its keys were ordered.
import { hash } from 'node:crypto';

export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain | undefined };

export function contentHash(value: Plain): Buffer {
  return hash('sha256', JSON.stringify(ordered(value)), 'buffer');
}

function ordered(value: Plain | undefined): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return { entries: entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, ordered(item)]) };
}
