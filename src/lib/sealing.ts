// Sealing with AES-256-GCM: bytes are encrypted, and bound to context outside them, such as their place.
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
export const KEY_ID_BYTES = 4;

/** A nonce, the encrypted bytes and a tag that detects changes. */
export function seal(key: Buffer, content: Buffer, boundTo: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo);
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when the key is wrong, the bytes were changed, or they are bound to another context. */
export function unseal(key: Buffer, sealed: Buffer, boundTo: Buffer): Buffer {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(boundTo)
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** The id of a master key, which reveals nothing of it. */
export function keyIdOf(key: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from('trilho master key id'), key]), 'hex').slice(0, KEY_ID_BYTES * 2);
}
