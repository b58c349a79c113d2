// The format of an API key: `trilho_live_<id>_<secret><checksum>`. A secret scanner finds a leaked key by its prefix, the
// id identifies the key without revealing the secret, and the checksum distinguishes a typo from an unknown key.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'trilho_live_';
const ID_LENGTH = 12;
const SECRET_BYTES = 32;
/** The number of base-62 characters for 256 bits, and for 32 bits below. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(
  `^${PREFIX}([0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}}([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);
const NAMED = new RegExp(`^(?:${PREFIX})?([0-9A-Za-z]{${ID_LENGTH}})(?:_[0-9A-Za-z]*)?$`);

/** A new key; the text is shown to its holder once. */
export function newKey(): { readonly id: string; readonly text: string } {
  const id = Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  const body = `${PREFIX}${id}_${secret}`;
  return { id, text: body + checksum(body) };
}

/** The id in a key; undefined when the text does not have the format of a key, or was mistyped. */
export function idOfKey(text: string): string | undefined {
  const [, id, sum] = FORM.exec(text) ?? [];
  return id !== undefined && checksum(text.slice(0, -CHECKSUM_LENGTH)) === sum ? id : undefined;
}

/** Reads the id from an id, a prefix with id, or a whole key. */
export function readKeyId(text: string): string | undefined {
  return NAMED.exec(text)?.[1];
}

export function prefixOf(id: string): string {
  return PREFIX + id;
}

export function hashOfKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = ALPHABET[Number(rest % 62n)]! + digits;
  return digits;
}
