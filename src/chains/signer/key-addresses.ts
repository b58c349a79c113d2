// The addresses of one key: one for all EVM networks, one for Tron. They share their twenty bytes.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../address.ts';

export type KeyAddresses = { readonly evm: string; readonly tron: string };

const PUBLIC_KEY_BYTES = 65;
const BODY_BYTES = 20;

/** The addresses of an uncompressed public key (65 bytes, the first is 4). */
export function addressesOf(publicKey: Uint8Array): KeyAddresses {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new RangeError('an uncompressed public key has 65 bytes');
  return addressesOfBody(keccak_256(publicKey.subarray(1)).subarray(-BODY_BYTES));
}

/** The addresses that twenty bytes stand for. */
export function addressesOfBody(body: Uint8Array): KeyAddresses {
  return { evm: addressOf('evm', body), tron: addressOf('tron', body) };
}
