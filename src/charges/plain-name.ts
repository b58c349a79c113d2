// Searching names regardless of case and accents: jose finds José and JOSÉ.

/** The letters of Portuguese with their accented forms. */
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
 * A PostgreSQL regular expression that finds the text in any case and with any accents. Each letter lists its forms, since the database
 * may only know the case of ASCII, and converting every name first costs ten times as much.
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
