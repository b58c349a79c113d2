// Keystore files of version 3: a private key under a password, as geth and most wallets read and write them.
// https://ethereum.org/en/developers/docs/data-structures-and-encoding/web3-secret-storage/
import { createCipheriv, createDecipheriv, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { valueAt } from '../../lib/exact-json.ts';
import { DERIVED_BYTES, type Derivation, deriveKey, readDerivation, SCRYPT } from './derive-key.ts';
import { bytesAt } from './hex-bytes.ts';
import { isPrivateKey, publicKeyOf } from './key-signer.ts';
import { addressesOf, addressesOfBody, type KeyAddresses } from './recoverable.ts';

const CIPHER = 'aes-128-ctr';
const IV_BYTES = 16;
const MAC_BYTES = 32;
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const MAX_TEXT_LENGTH = 100_000;

/** A keystore as it was read, still encrypted. */
type Keystore = {
  /** The address in the file, not verified yet; some programs leave it out. */
  readonly addresses?: KeyAddresses;
  readonly derivation: Derivation;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly mac: Buffer;
};

/** The text of a keystore file for a private key. */
export async function encryptKeystore(privateKey: Uint8Array, password: string): Promise<string> {
  const derivation = { kdf: 'scrypt', ...SCRYPT, salt: randomBytes(SALT_BYTES) } as const;
  const derived = await deriveKey(derivation, password);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
  const { salt, n, r, p } = derivation;
  const keystore = {
    version: 3,
    id: randomUUID(),
    address: addressesOf(publicKeyOf(privateKey)).evm.slice(2).toLowerCase(),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: iv.toString('hex') },
      ciphertext: ciphertext.toString('hex'),
      kdf: 'scrypt',
      kdfparams: { dklen: DERIVED_BYTES, n, r, p, salt: salt.toString('hex') },
      mac: macOf(derived, ciphertext).toString('hex'),
    },
  };
  return `${JSON.stringify(keystore, undefined, 2)}\n`;
}

/** The keystore in a file's text, or why it is not a keystore, as the end of a sentence about the file. */
export function parseKeystore(text: string): { readonly keystore: Keystore } | { readonly fault: string } {
  const json = text.length <= MAX_TEXT_LENGTH ? parseJson(text) : undefined;
  if (typeof json !== 'object' || json === null) return { fault: 'is not a keystore file' };
  if (valueAt(json, ['version']) !== 3) return { fault: 'is not a keystore of version 3' };
  // Some wallets write the name with a capital letter.
  const crypto = valueAt(json, ['crypto']) ?? valueAt(json, ['Crypto']);
  if (valueAt(crypto, ['cipher']) !== CIPHER) return { fault: `has another cipher than ${CIPHER}` };
  const derivation = readDerivation(crypto);
  if ('fault' in derivation) return derivation;
  const iv = bytesAt(crypto, ['cipherparams', 'iv']);
  const ciphertext = bytesAt(crypto, ['ciphertext']);
  const mac = bytesAt(crypto, ['mac']);
  // geth once left out leading zeros of a key, so a shorter text is a key too.
  const isWhole = iv?.length === IV_BYTES && mac?.length === MAC_BYTES && ciphertext && ciphertext.length <= KEY_BYTES;
  if (!isWhole) return { fault: 'has an incomplete crypto section' };
  const body = bytesAt(json, ['address']);
  if (body && body.length !== 20) return { fault: 'has an address that is not 20 bytes long' };
  return {
    keystore: {
      derivation: derivation.derivation,
      iv,
      ciphertext,
      mac,
      ...(body && { addresses: addressesOfBody(body) }),
    },
  };
}

/** The private key (32 bytes), or why the keystore does not yield one. */
export async function decryptKeystore(
  { derivation, iv, ciphertext, mac, addresses }: Keystore,
  password: string,
): Promise<{ readonly privateKey: Uint8Array } | { readonly fault: 'password' | 'key' | 'address' }> {
  const derived = await deriveKey(derivation, password);
  if (!timingSafeEqual(macOf(derived, ciphertext), mac)) return { fault: 'password' };
  const decipher = createDecipheriv(CIPHER, derived.subarray(0, 16), iv);
  const plain = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  const privateKey = new Uint8Array(KEY_BYTES);
  privateKey.set(plain, KEY_BYTES - plain.length);
  if (!isPrivateKey(privateKey)) return { fault: 'key' };
  const isItsAddress = addresses === undefined || addresses.evm === addressesOf(publicKeyOf(privateKey)).evm;
  return isItsAddress ? { privateKey } : { fault: 'address' };
}

function macOf(derived: Uint8Array, ciphertext: Uint8Array): Buffer {
  return Buffer.from(keccak_256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
