// Master keys encrypt secrets in the database and in sealed files. The first one encrypts, all of them decrypt.
import type { Kind } from '../lib/settings/kinds.ts';

export const MASTER_KEY_BYTES = 32;
const MAX_KEYS = 4;
/** 32 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;

export const masterKeys: Kind<readonly Buffer[]> = {
  description: `one to ${MAX_KEYS} different keys of ${MASTER_KEY_BYTES} bytes in base64, with commas between them`,
  parse: given => {
    const texts = given.split(',').map(text => text.trim());
    const areGood =
      texts.length <= MAX_KEYS && texts.every(text => KEY.test(text)) && new Set(texts).size === texts.length;
    if (!areGood) return { wrong: [{ message: `must be ${masterKeys.description}` }] };
    return { value: texts.map(text => Buffer.from(text, 'base64')) };
  },
};
