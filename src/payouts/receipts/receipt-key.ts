// A key that signs receipts, and its public part.
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';

export type ReceiptKey = {
  readonly id: string;
  /** The 32 bytes, as base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
};

export function receiptKeyOf(privateKey: KeyObject): ReceiptKey {
  const publicKey = createPublicKey(privateKey);
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { id: keyIdOf(publicKey), publicKey: x, privateKey };
}

/** The thumbprint of a public key (RFC 7638). */
export function keyIdOf(key: KeyObject): string {
  const { crv, kty, x } = key.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url');
}

/** The public key of 32 bytes in base64url; undefined when they are not a public key. */
export function publicKeyFrom(x: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
