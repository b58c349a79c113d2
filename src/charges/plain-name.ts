// Names as they are looked for: jose finds José and JOSÉ.

/** The letters of Portuguese with their marks. */
const MARKED: Readonly<Record<string, string>> = {
  a: 'áàâãä',
  c: 'ç',
  e: 'éèêë',
  i: 'íìîï',
  n: 'ñ',
  o: 'óòôõö',
  u: 'úùûü',
};

/**
 * A regular expression of PostgreSQL that finds the text in any case and with any marks. Each letter lists its forms itself: the
 * database may know the case of ASCII alone, and to convert every name first costs ten times as much.
 */
export function namePattern(text: string): string {
  return [...text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC')].map(formsOf).join('');
}

function formsOf(letter: string): string {
  const lower = letter.toLowerCase();
  const forms = lower + (MARKED[lower] ?? '');
  if (/^\p{L}+$/u.test(forms)) return `[${forms}${forms.toUpperCase()}]`;
  return /^[\p{N} ]$/u.test(letter) ? letter : `\\${letter}`;
}
