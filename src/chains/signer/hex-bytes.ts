// Bytes written in JSON as hexadecimal text.
import { valueAt } from '../../lib/exact-json.ts';

/** The bytes at a path, written with or without 0x; undefined when absent or malformed. */
export function bytesAt(value: unknown, path: readonly string[]): Buffer | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? bytesOf(found) : undefined;
}

/** Undefined unless the text is at least one byte. */
export function bytesOf(text: string): Buffer | undefined {
  const digits = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
}
