// Signs with a private key in memory.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { signInThread } from './ask-signing-thread.ts';
import type { DigestSigner } from './signer.ts';

export function isPrivateKey(bytes: Uint8Array): boolean {
  return secp256k1.utils.isValidSecretKey(bytes);
}

export function createPrivateKey(): Uint8Array {
  return secp256k1.utils.randomSecretKey();
}

/** Uncompressed: 65 bytes, the first is 4. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return secp256k1.getPublicKey(privateKey, false);
}

/** Deterministic (RFC 6979): the same digest gives the same signature. */
export function keySigner(privateKey: Uint8Array): DigestSigner {
  return {
    kind: 'digest',
    publicKey: publicKeyOf(privateKey),
    signDigest: digest => signInThread(digest, privateKey),
  };
}
