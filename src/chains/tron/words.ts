// What nodes say, as words for an operator: bounded, printable, never evidence.
import { valueAt } from '../../lib/exact-json.ts';

const MAX_LENGTH = 200;
const HEX_TEXT = /^(?:[0-9a-f]{2})+$/i;
const CONTROL = /[^\x20-\x7e]+/g;

export function plainWords(text: string): string {
  return text.replace(CONTROL, ' ').trim().slice(0, MAX_LENGTH);
}

/**
 * The `message` of an answer: `broadcasthex` sends it as text, the other calls as the hexadecimal digits of its UTF-8
 * bytes.
 */
export function decodedMessage(message: string): string {
  return plainWords(HEX_TEXT.test(message) ? Buffer.from(message, 'hex').toString('utf8') : message);
}

/** The error that java-tron sends with status 200, such as `{"Error":"class … : …"}`. */
export function errorOf(answer: unknown): string | undefined {
  const error = valueAt(answer, ['Error']) ?? valueAt(answer, ['error']);
  return typeof error === 'string' ? plainWords(error) : undefined;
}
