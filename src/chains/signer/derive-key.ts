// Derives the encryption key of a keystore from its password: scrypt or PBKDF2, with the file's own parameters.
import { pbkdf2, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync as nobleScrypt } from '@noble/hashes/scrypt.js';
import { valueAt } from '../../lib/exact-json.ts';
import { bytesAt } from './hex-bytes.ts';

export type Derivation =
  | { readonly kdf: 'scrypt'; readonly n: number; readonly r: number; readonly p: number; readonly salt: Buffer }
  | { readonly kdf: 'pbkdf2'; readonly rounds: number; readonly salt: Buffer };

/** The parameters of new keystores, the same as geth's. About a second. */
export const SCRYPT = { n: 2 ** 18, r: 8, p: 1 } as const;
export const DERIVED_BYTES = 32;

/** Four times what geth writes. A file that asks for more would hold the start up, or take all memory. */
const MAX_SCRYPT_BYTES = 1024 ** 3;
const MAX_SCRYPT_P = 16;
/** Besides its table, scrypt needs room for p blocks. */
const MAX_MEMORY_BYTES = 2 * MAX_SCRYPT_BYTES;
/** The longest that the slower pure scrypt may block the event loop. */
const TICK_MS = 100;
const MAX_PBKDF2_ROUNDS = 10_000_000;

/** Reads the parameters in the crypto section of a keystore; a fault is the end of a sentence about the file. */
export function readDerivation(crypto: unknown): { readonly derivation: Derivation } | { readonly fault: string } {
  const kdf = valueAt(crypto, ['kdf']);
  const salt = bytesAt(crypto, ['kdfparams', 'salt']);
  const numberAt = (name: string) => {
    const value = valueAt(crypto, ['kdfparams', name]);
    return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
  };
  if (kdf !== 'scrypt' && kdf !== 'pbkdf2') return { fault: 'has another kdf than scrypt and pbkdf2' };
  const wrong = { fault: `has parameters of ${kdf} that are wrong or too large` };
  if (!salt || numberAt('dklen') !== DERIVED_BYTES) return wrong;
  if (kdf === 'pbkdf2') {
    const rounds = numberAt('c');
    const isSha256 = valueAt(crypto, ['kdfparams', 'prf']) === 'hmac-sha256';
    if (rounds === undefined || rounds > MAX_PBKDF2_ROUNDS || !isSha256) return wrong;
    return { derivation: { kdf, rounds, salt } };
  }
  const [n, r, p] = [numberAt('n'), numberAt('r'), numberAt('p')];
  if (n === undefined || r === undefined || p === undefined) return wrong;
  const isPowerOfTwo = n > 1 && Number.isInteger(Math.log2(n));
  if (!isPowerOfTwo || 128 * n * r > MAX_SCRYPT_BYTES || p > MAX_SCRYPT_P) return wrong;
  return { derivation: { kdf, n, r, p, salt } };
}

export async function deriveKey(derivation: Derivation, password: string): Promise<Buffer> {
  if (derivation.kdf === 'pbkdf2') {
    return promisify(pbkdf2)(password, derivation.salt, derivation.rounds, DERIVED_BYTES, 'sha256');
  }
  const { n, r, p, salt } = derivation;
  // OpenSSL accepts only n below 2^(16·r), as RFC 7914 says; some wallets write n = 2^18 with r = 1.
  if (Math.log2(n) >= 16 * r) {
    const options = { N: n, r, p, dkLen: DERIVED_BYTES, maxmem: MAX_MEMORY_BYTES, asyncTick: TICK_MS };
    return Buffer.from(await nobleScrypt(password, salt, options));
  }
  return opensslScrypt(password, salt, { N: n, r, p, maxmem: MAX_MEMORY_BYTES });
}

function opensslScrypt(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, DERIVED_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
