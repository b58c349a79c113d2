// Turns what a signer returned into a signature that Tron takes, and makes sure that it is the sender's: a signature by
// another key would be refused by every node, after the attempt was saved.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { addressOf } from '../address.ts';

const COMPACT_BYTES = 64;
const PUBLIC_KEY_BYTES = 65;
const FIRST_PARITY = 27;

/** The address of an uncompressed public key: the last twenty bytes of the Keccak-256 hash of its coordinates. */
export function addressOfPublicKey(publicKey: Uint8Array): string {
  if (publicKey.length !== PUBLIC_KEY_BYTES || publicKey[0] !== 4) {
    throw new RangeError('an uncompressed public key has 65 bytes, and the first is 4');
  }
  return addressOf('tron', keccak_256(publicKey.subarray(1)).subarray(-20));
}

/**
 * r, a low s and the parity (27 or 28): 65 bytes. Undefined when the signature is none of this digest by the key of the
 * address.
 */
export function recoverableSignature(digest: Uint8Array, compact: Uint8Array, signer: string): Uint8Array | undefined {
  if (compact.length !== COMPACT_BYTES) return undefined;
  try {
    const given = secp256k1.Signature.fromBytes(compact, 'compact');
    const { r } = given;
    const s = given.hasHighS() ? secp256k1.Point.Fn.ORDER - given.s : given.s;
    for (const parity of [0, 1]) {
      const signature = new secp256k1.Signature(r, s, parity);
      if (addressOfPublicKey(signature.recoverPublicKey(digest).toBytes(false)) === signer) {
        return Uint8Array.of(...signature.toBytes('compact'), FIRST_PARITY + parity);
      }
    }
    return undefined;
  } catch {
    // r or s is no number of the curve, or recovers no point.
    return undefined;
  }
}
