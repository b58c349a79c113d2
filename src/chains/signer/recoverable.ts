// Signatures as chains take them, from those of any signer. An HSM returns r ‖ s without a parity, and a high s as often as a
// low one; nodes refuse a high s (EIP-2).
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../address.ts';
import { FAMILIES, type Family } from '../families.ts';
import { checkInThread } from './ask-signing-thread.ts';
import type { RecoverableSignature } from './recover.ts';
import { type DigestSigner, SignerRefused } from './signer.ts';

const DIGEST_BYTES = 32;
const PUBLIC_KEY_BYTES = 65;
const BODY_BYTES = 20;

/**
 * Signs a digest, and returns only a signature from which the signer's own public key is recovered. Throws `SignerRefused`
 * for any other, and what the signer throws.
 *
 * @example
 * const { r, s, yParity } = await signRecoverable(signer, keccak_256(unsignedBytes));
 */
export async function signRecoverable(signer: DigestSigner, digest: Uint8Array): Promise<RecoverableSignature> {
  if (digest.length !== DIGEST_BYTES) throw new RangeError('a digest has 32 bytes');
  const bytes = await signer.signDigest(digest);
  const found = await checkInThread(bytes, digest, signer.publicKey);
  if (!found) throw new SignerRefused('The signer returned bytes that are not a signature of its key.');
  return found;
}

/** The addresses of one key, one for each family of chains. They share their twenty bytes. */
export type KeyAddresses = { readonly [F in Family]: string };

/** The addresses of an uncompressed public key (65 bytes, the first is 4). */
export function addressesOf(publicKey: Uint8Array): KeyAddresses {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new RangeError('an uncompressed public key has 65 bytes');
  return addressesOfBody(keccak_256(publicKey.subarray(1)).subarray(-BODY_BYTES));
}

/** The addresses of twenty bytes, one for each family. */
export function addressesOfBody(body: Uint8Array): KeyAddresses {
  return Object.fromEntries(FAMILIES.map(({ kind }) => [kind, addressOf(kind, body)])) as KeyAddresses;
}
