// The mark of an entry of a return file: a hash of its content, which identifies the same entry in another file.
import { createHash } from 'node:crypto';
import type { ReturnEntry } from '@trilho/cnab';

const MARK_BYTES = 16;

/** The mark of an entry. `count` tells identical entries of a file apart: two payments of a title may look the same. */
export function markOf({ content }: ReturnEntry, count: number): string {
  const identity = count === 1 ? content : `${count} ${content}`;
  return createHash('sha256').update(identity).digest().subarray(0, MARK_BYTES).toString('hex');
}

/** Counts identical entries of a file. */
export function countEqual(): (entry: ReturnEntry) => number {
  const seen = new Map<string, number>();
  return entry => {
    const key = markOf(entry, 1);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count;
  };
}
