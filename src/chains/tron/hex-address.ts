// Addresses as nodes write them: 41 and twenty bytes, in hexadecimal digits. People write the same bytes in base58check.
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

/** The 21 bytes of an address that was read before. */
export function addressBytes(address: string): Uint8Array {
  return base58check.decode(address);
}

export function hexAddress(address: string): string {
  return Buffer.from(addressBytes(address)).toString('hex');
}
