// Addresses of Tron: a version byte and twenty bytes in base58check.
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import type { AddressForm, AddressReading } from '../family.ts';

const VERSION = 0x41;
const BODY_BYTES = 20;
const PATTERN = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const FORM = 'T and 33 further characters of base58';

const base58check = createBase58check(sha256);

export const TRON_ADDRESSES: AddressForm = {
  form: FORM,
  of: 'Tron',
  description: 'base58, as wallets show it',
  pattern: PATTERN,
  read,
  mistake: text =>
    /^(0x)?41[0-9a-fA-F]{40}$/.test(text) ? `is written in hexadecimal digits; it must be ${FORM}` : undefined,
  fromBody: body => base58check.encode(Uint8Array.of(VERSION, ...body)),
  listedAs: PATTERN,
  bodyOf: text => {
    const { address } = read(text);
    return address === undefined ? undefined : Buffer.from(base58check.decode(address).subarray(1)).toString('hex');
  },
};

function read(text: string): AddressReading {
  const bytes = decoded(text);
  if (!bytes) {
    return { refusal: { code: 'wrong_checksum', message: 'does not match its checksum: a character is wrong' } };
  }
  if (bytes.length === BODY_BYTES + 1 && bytes[0] === VERSION) return { address: text };
  return {
    refusal: { code: 'not_an_address', message: 'is not an address of Tron, though it looks like one' },
  };
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return base58check.decode(text);
  } catch {
    return undefined;
  }
}
