// A signature as chains take it, from 64 bytes that a signer returned: checked against the key, with a low s and the parity. Pure.
import { secp256k1 } from '@noble/curves/secp256k1.js';

export type RecoverableSignature = {
  /** 32 bytes each; s is in the lower half. */
  readonly r: Uint8Array;
  readonly s: Uint8Array;
  readonly yParity: 0 | 1;
};

const SIGNATURE_BYTES = 64;

/** Undefined when the bytes are not a signature of the digest by this key. */
export function recoverableFrom(
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
 * of this key. Recovering the key for both parities gives the same and takes three times as long.
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
  // All inputs are public, so the timing may depend on them: this takes half the time of the constant-time way.
  const ofHash = BASE.multiplyUnsafe(Fn.mul(hash, inverse));
  const point = ofHash.add(preparedPoint(publicKey).multiplyUnsafe(Fn.mul(r, inverse)));
  if (point.is0()) return undefined;
  const { x, y } = point.toAffine();
  // An x above the curve's order has parities 2 and 3, which transactions cannot carry; it never comes up by chance.
  if (x !== r) return undefined;
  return y & 1n ? 1 : 0;
}

type Point = ReturnType<typeof secp256k1.Point.fromBytes>;

/** A table for each key, made once: a service signs with few keys, thousands of times. */
const prepared = new Map<string, Point>();
const TABLE_WINDOW_BITS = 8;
const MAX_TABLES = 100;

function preparedPoint(publicKey: Uint8Array): Point {
  const key = Buffer.from(publicKey).toString('hex');
  const known = prepared.get(key);
  if (known) return known;
  const point = secp256k1.Point.fromBytes(publicKey).precompute(TABLE_WINDOW_BITS);
  if (prepared.size >= MAX_TABLES) prepared.clear();
  prepared.set(key, point);
  return point;
}
