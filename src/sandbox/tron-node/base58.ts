// Converts addresses between the form that people write and that of nodes: 21 bytes in hexadecimal digits.
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

export function toBase58(hex: string): string {
  return base58check.encode(Buffer.from(hex, 'hex'));
}

/** Undefined when the text is not an address. */
export function fromBase58(text: string): string | undefined {
  try {
    return Buffer.from(base58check.decode(text)).toString('hex');
  } catch {
    return undefined;
  }
}
