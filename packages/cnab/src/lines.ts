// The lines of a CNAB file as they come from banks, VANs and editors: with a byte order mark, ^Z at the end, 241 characters,
// or without the blanks at the end of a line.
import { CnabError } from './cnab-error.ts';
import { WIDTH } from './record.ts';
import type { Warnings } from './warnings.ts';

/** A return of 100,000 titles has 48 MB. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024;

/** `text` has 240 characters, and the first `length` of them were in the file. */
export type Line = { readonly number: number; readonly text: string; readonly length: number };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** ^Z, by which DOS ended text files. */
const END_OF_FILE = '\u001a';
const CNAB_400 = 400;

/** The line ends of a file: some programs write no line feeds. */
function lineEnd(bytes: Uint8Array): number {
  return bytes.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN;
}

/** Every line that is not empty, in order; anything unusual is a warning. */
export function* linesOf(bytes: Uint8Array, warnings: Warnings): Generator<Line> {
  let start = 0;
  const feedByte = lineEnd(bytes);
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    warnings.add('a byte order mark is before the first line');
    start = 3;
  }
  for (let number = 1; start < bytes.length; number++) {
    const feed = bytes.indexOf(feedByte, start);
    const end = feed < 0 ? bytes.length : feed;
    const text = cleaned(decode(bytes.subarray(start, end)), number, warnings);
    start = end + 1;
    if (text !== '') yield { number, text: text.padEnd(WIDTH), length: text.length };
  }
}

function cleaned(raw: string, number: number, warnings: Warnings): string {
  let text = raw.replace(/\r+$/, '');
  if (text.includes(END_OF_FILE)) {
    warnings.add('^Z (end of file of DOS) is in the line', number);
    text = text.replaceAll(END_OF_FILE, '');
  }
  if (CONTROL.test(text)) {
    warnings.add('control characters are in the line; blanks are assumed', number);
    text = withoutControls(text);
  }
  if (text.trim() === '') return '';
  if (text.length < WIDTH) warnings.add(`the line has fewer than ${WIDTH} characters; blanks are assumed`, number);
  if (text.length > WIDTH) {
    const rest = text.slice(WIDTH).trim() === '' ? 'blanks' : 'text';
    warnings.add(`the line has more than ${WIDTH} characters; ${rest} at its end is passed over`, number);
  }
  const line = text.slice(0, WIDTH);
  if (!IN_LOWER_CASE.test(line)) return line;
  warnings.add('the line is in lower case; upper case is assumed', number);
  return upperCased(line);
}

const IN_LOWER_CASE = /^[^A-Z]*[a-z][^A-Z]*$/;

/** The address of a pix in segment Y is unchanged, because it is case-sensitive. */
function upperCased(line: string): string {
  const end = line[7] === '3' && line[13] === 'y' ? SEGMENT_COLUMN : WIDTH;
  return line.slice(0, end).replace(/[a-z]/g, letter => letter.toUpperCase()) + line.slice(end);
}

const SEGMENT_COLUMN = 14;

/** No field has them, and a database cannot store all of them. */
const CONTROL = /\p{Cc}/u;

/** Replaces them with blanks, except at the ends of lines. */
function withoutControls(text: string): string {
  return text.replace(/(?!\n)\p{Cc}/gu, ' ');
}

/** Each line by itself, since files are joined from pieces of different origin. */
function decode(bytes: Uint8Array): string {
  if (bytes.every(byte => byte < 0x80)) return latin1(bytes);
  try {
    return utf8.decode(bytes);
  } catch {
    return latin1(bytes);
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** Refuses a file that is not CNAB 240, in one sentence. */
export function requireCnab240(bytes: Uint8Array): void {
  if (bytes.length > MAX_FILE_BYTES) {
    throw new CnabError(`The file has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
  }
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw new CnabError('The file is a ZIP archive. Unpack it first.');
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new CnabError('The file is compressed (gzip). Unpack it first.');
  const first = firstLine(bytes);
  if (first === '') throw new CnabError('The file is empty.');
  if (first.length >= CNAB_400 && first.length <= CNAB_400 + 1 && /^0[12]/.test(first)) {
    throw new CnabError('The file is CNAB 400. Ask the bank for CNAB 240.');
  }
  if (!/^\d{7}[01359]/.test(first))
    throw new CnabError('The file is not CNAB 240: its first line is no record of one.');
  if (first[7] !== '0') throw new CnabError('The file has no file header: its beginning is missing.');
}

function firstLine(bytes: Uint8Array): string {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const feed = bytes.indexOf(lineEnd(bytes), start);
  const end = Math.min(feed < 0 ? bytes.length : feed, start + CNAB_400 + 2);
  return latin1(bytes.subarray(start, end)).replace(/\r+$/, '');
}

/** The last line that is not empty; some programs fill the last block of a file with blanks or zero bytes. */
export function lastLine(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && isFiller(bytes[end - 1]!)) end--;
  const start = bytes.lastIndexOf(lineEnd(bytes), end - 1) + 1;
  return latin1(bytes.subarray(Math.max(start, end - CNAB_400), end));
}

/** A blank, ^Z, or another control character. */
function isFiller(byte: number): boolean {
  return byte <= 0x20;
}
