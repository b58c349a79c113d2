// What java-tron says, in its several ways to say it.
import { valueAt } from '../../lib/exact-json.ts';
import { nodeMessage } from '../node-message.ts';

const HEX_TEXT = /^(?:[0-9a-f]{2})+$/i;

/**
 * The `message` of an answer: `broadcasthex` sends it as text, the other calls as the hexadecimal digits of its UTF-8
 * bytes.
 */
export function decodedMessage(message: string): string {
  return nodeMessage(HEX_TEXT.test(message) ? Buffer.from(message, 'hex').toString('utf8') : message);
}

/** The error that java-tron sends with status 200, such as `{"Error":"class … : …"}`. */
export function errorOf(answer: unknown): string | undefined {
  const error = valueAt(answer, ['Error']) ?? valueAt(answer, ['error']);
  return typeof error === 'string' ? nodeMessage(error) : undefined;
}
