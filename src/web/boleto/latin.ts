// Converts any text to Windows-1252, the characters of the built-in Helvetica of PDF. It contains all Portuguese letters;
// other letters become the nearest one, so that no name breaks the page.

const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const PRINTABLE = new RegExp(`^[\\x20-\\x7e\\xa0-\\xff${BEYOND_LATIN_1}]$`, 'u');

/** Letters and signs that Unicode does not decompose, and the invisible soft hyphen. */
const NEAREST: Readonly<Record<string, string>> = {
  Ł: 'L',
  ł: 'l',
  Đ: 'D',
  đ: 'd',
  Ħ: 'H',
  ħ: 'h',
  Ŧ: 'T',
  ŧ: 't',
  Ŋ: 'N',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'k',
  Ə: 'E',
  ə: 'e',
  ẞ: 'SS',
  '\u00ad': '',
  '‐': '-',
  '‒': '-',
  '―': '-',
  '−': '-',
  '⁄': '/',
  '′': "'",
  ʼ: "'",
  '″': '"',
};

/** Emoji, and marks that only control how other characters are displayed. */
const UNSEEN = /[\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const COMBINING = /\p{M}/u;
const UNKNOWN = '?';

/** One line of text. A character without a nearest letter becomes a question mark; invisible characters are removed. */
export function toLatin(text: string): string {
  const letters = Array.from(text.normalize('NFC').replace(/[\s\p{Cc}]/gu, ' '), latinLetter);
  return letters.join('').replace(/ +/g, ' ').trim();
}

function latinLetter(letter: string): string {
  const nearest = NEAREST[letter];
  if (nearest !== undefined) return nearest;
  if (PRINTABLE.test(letter)) return letter;
  if (UNSEEN.test(letter)) return '';
  const parts = Array.from(letter.normalize('NFKD')).filter(part => !COMBINING.test(part));
  return parts.map(part => NEAREST[part] ?? (PRINTABLE.test(part) ? part : UNKNOWN)).join('');
}
