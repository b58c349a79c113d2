// The mark of an entry of a return file: a hash of its content, which recognises an identical entry in another file.
import { createHash } from 'node:crypto';
import type { ReturnEntry } from '@trilho/cnab';

const MARK_BYTES = 16;

/** The mark of the first entry with this content, or of a further one: two payments of a title may have identical entries. */
export function markOf({ content }: ReturnEntry, count: number): string {
  const identity = count === 1 ? content : `${count} ${content}`;
  return createHash('sha256').update(identity).digest().subarray(0, MARK_BYTES).toString('hex');
}

/** Counts the entries of a file that say the same. */
export function countEqual(): (entry: ReturnEntry) => number {
  const seen = new Map<string, number>();
  return entry => {
    const key = markOf(entry, 1);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count;
  };
}
