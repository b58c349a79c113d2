// A statement's bytes as text. The bytes decide and not the header: banks declare 1252 over UTF-8 and the other way round.
import { StatementError } from './statement-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

// What windows-1252 has where Latin-1 has control characters, 0x80 to 0x9F; its five empty places stay as they are.
// Written out because Node's own decoder took windows-1252 for Latin-1 in several releases.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * UTF-8 where the bytes are valid UTF-8, otherwise windows-1252, of which Latin-1's letters are a part. Portuguese text
 * in 1252 is not valid UTF-8: that would need each accented letter to stand before one of the signs 0x80 to 0xBF.
 * Every line break becomes a line feed. Refuses UTF-16.
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
