// What a customer is found by: the words of its name, e-mail, document and externalId, each by its beginning. Pure.
import type { Customer } from './customer.ts';

/** In any case and with any marks: jose finds JOSÉ. */
function wordsIn(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}

/** Empty for an erased customer. */
export function searchWords({ name, email = '', document, externalId = '', erasedAt }: Customer): string[] {
  return erasedAt ? [] : [...new Set([name, email, document, externalId].flatMap(wordsIn))];
}

/** A `tsquery` for customers that have a word for each of these beginnings; undefined when the text has no word. */
export function searchQuery(text: string): string | undefined {
  const words = wordsIn(text);
  // A word has no quote or backslash, so nothing needs to be escaped.
  return words.length === 0 ? undefined : words.map(word => `'${word}':*`).join(' & ');
}
