// Signatures as chains take them, from those of any signer. An HSM returns r ‖ s without a parity, and a high s as often as a
// low one; nodes refuse a high s (EIP-2).
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../address.ts';
import { type DigestSigner, SignerRefused } from './signer.ts';

export type RecoverableSignature = {
  /** 32 bytes each; s is in the lower half. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: 0 | 1;
};

const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 64;
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
  const found = recoverableFrom(bytes, digest, signer.publicKey);
  if (!found) throw new SignerRefused('The signer returned bytes that are not a signature of its key.');
  return found;
}

function recoverableFrom(
  bytes: Uint8Array,
  digest: Uint8Array,
  publicKey: Uint8Array,
): RecoverableSignature | undefined {
  const signature = bytes.length === SIGNATURE_BYTES ? parseSignature(bytes) : undefined;
  if (!signature) return undefined;
  const { r, s } = signature;
  const low = signature.hasHighS() ? new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s) : signature;
  const yParity = parityOf(low, digest, publicKey);
  if (yParity === undefined) return undefined;
  const compact = low.toBytes('compact');
  return { r: compact.slice(0, 32), s: compact.slice(32), yParity };
}

function parseSignature(bytes: Uint8Array) {
  try {
    return secp256k1.Signature.fromBytes(bytes, 'compact');
  } catch {
    return undefined;
  }
}

/**
 * Verifies the signature (SEC 1, 4.1.4) and returns the parity of the point that it was made from; undefined when it is not
 * of this key. Recovering the key for both parities finds the same and takes three times as long.
 */
function parityOf(
  { r, s }: ReturnType<typeof secp256k1.Signature.fromBytes>,
  digest: Uint8Array,
  publicKey: Uint8Array,
): 0 | 1 | undefined {
  const { BASE, Fn } = secp256k1.Point;
  const inverse = Fn.inv(s);
  const hash = Fn.create(BigInt(`0x${Buffer.from(digest).toString('hex')}`));
  // Zero cannot be multiplied with; it never comes up by chance.
  if (hash === 0n) return undefined;
  // Everything here is public, so the time that it takes may tell of it: half of that of the safe way.
  const ofHash = BASE.multiplyUnsafe(Fn.mul(hash, inverse));
  const point = ofHash.add(preparedPoint(publicKey).multiplyUnsafe(Fn.mul(r, inverse)));
  if (point.is0()) return undefined;
  const { x, y } = point.toAffine();
  // An x above the curve's order has parities 2 and 3, which transactions cannot carry; it never comes up by chance.
  if (x !== r) return undefined;
  return y & 1n ? 1 : 0;
}

type Point = ReturnType<typeof secp256k1.Point.fromBytes>;

/** A table for the key, made once: a service signs with few keys, thousands of times. */
const prepared = new WeakMap<Uint8Array, Point>();
const TABLE_WINDOW_BITS = 8;

function preparedPoint(publicKey: Uint8Array): Point {
  const known = prepared.get(publicKey);
  if (known) return known;
  const point = secp256k1.Point.fromBytes(publicKey).precompute(TABLE_WINDOW_BITS);
  prepared.set(publicKey, point);
  return point;
}

/** The addresses of one key: one for all EVM networks, one for Tron. They share their twenty bytes. */
export type KeyAddresses = { readonly evm: string; readonly tron: string };

/** The addresses of an uncompressed public key (65 bytes, the first is 4). */
export function addressesOf(publicKey: Uint8Array): KeyAddresses {
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new RangeError('an uncompressed public key has 65 bytes');
  return addressesOfBody(keccak_256(publicKey.subarray(1)).subarray(-BODY_BYTES));
}

/** The addresses that twenty bytes stand for. */
export function addressesOfBody(body: Uint8Array): KeyAddresses {
  return { evm: addressOf('evm', body), tron: addressOf('tron', body) };
}
