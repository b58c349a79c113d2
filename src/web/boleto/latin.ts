// Any text in the letters that a PDF's built-in Helvetica has: Windows-1252. Portuguese fits whole; the rest is folded to
// its nearest letter, so that no name can crash the page or print as garbage.

const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const PRINTABLE = new RegExp(`^[\\x20-\\x7e\\xa0-\\xff${BEYOND_LATIN_1}]$`, 'u');

/** Letters and signs that Unicode does not take apart by itself, and the soft hyphen, which is not to be seen. */
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

/** Pictures, and marks that only steer how others are shown. */
const UNSEEN = /[\p{Cf}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const COMBINING = /\p{M}/u;
const UNKNOWN = '?';

/** One line of text; what has no nearest letter becomes a question mark, and what cannot be seen is left out. */
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
