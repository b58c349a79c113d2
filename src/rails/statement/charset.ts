// Decodes a statement. The bytes decide, not the header: some banks declare 1252 for UTF-8, and others the reverse.
import { StatementError } from './statement-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

// The characters of windows-1252 at 0x80 to 0x9F, where Latin-1 has control characters; five codes stay undefined.
// Listed here, because the decoder of several Node releases treats windows-1252 as Latin-1.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Decodes valid UTF-8 as UTF-8, and other bytes as windows-1252, which includes the letters of Latin-1. Portuguese text in
 * 1252 is not valid UTF-8: each accented letter would have to precede a byte from 0x80 to 0xBF. Every line break becomes a
 * line feed. Refuses UTF-16.
 */
export function textOf(bytes: Buffer): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new StatementError('The file is UTF-16. Export it again as UTF-8 or Latin-1.');
  }
  return decode(bytes).replace(/\r\n?/g, '\n');
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    const latin1 = bytes.toString('latin1', marked ? 3 : 0);
    return latin1.replace(/[\u0080-\u009f]/g, sign => WINDOWS_1252[sign.charCodeAt(0) - 0x80] ?? sign);
  }
}
