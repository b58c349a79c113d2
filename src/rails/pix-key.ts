// A pix key and the texts beside it in a BR Code, as settings take them.
import { getPixKeyInfo } from '@brazilian-utils/brazilian-utils';
import type { Kind } from '../lib/settings/kinds.ts';

const PIX_KEY_KINDS = {
  cpf: 'CPF',
  cnpj: 'CNPJ',
  email: 'e-mail address',
  phone: 'phone number',
  evp: 'random key',
} as const;

/** A key as written in a BR Code, and the name of its kind. */
export type PixKeyValue = { readonly key: string; readonly kind: (typeof PIX_KEY_KINDS)[keyof typeof PIX_KEY_KINDS] };

/**
 * The key must be of exactly one kind, since a key of the wrong kind pays a stranger. The package alone would read a CPF with a wrong digit
 * as a phone number, so a phone number must begin with +55. Not quoted: it may be a document.
 */
export const pixKey: Kind<PixKeyValue> = {
  description:
    'a pix key in one of five forms: a CPF or a CNPJ with right check digits, an e-mail address, a phone number that begins with +55, or a random key',
  parse: given => {
    const info = getPixKeyInfo(given);
    if (!info || (info.type === 'phone' && !given.trimStart().startsWith('+55'))) {
      return { wrong: [{ message: `must be ${pixKey.description}` }] };
    }
    // The eleven digits of a valid CPF may also be a mobile phone number.
    if (info.type === 'cpf' && /^\d+$/.test(given.trim()) && getPixKeyInfo(`+55${info.value}`) !== null) {
      return { wrong: [{ message: 'could be a CPF or a phone number: write 000.000.000-00 or +5500000000000' }] };
    }
    return { value: { key: info.value, kind: PIX_KEY_KINDS[info.type] } };
  },
};

/** A BR Code holds ASCII: accents are dropped, letters of other scripts are lost. Not quoted, since it may name a person. */
export const brCodeText: Kind<string> = {
  description: 'text with a letter or digit that a BR Code can hold',
  parse: given =>
    /[A-Za-z0-9]/.test(given.normalize('NFD'))
      ? { value: given }
      : { wrong: [{ message: `must be ${brCodeText.description}` }] },
};
