// The calls of a TRC-20 token, as its bytecode reads them: a selector of four bytes, then words of 32.
import { addressBytes } from './hex-address.ts';

/** The first four bytes of the Keccak-256 hash of each signature. */
export const SELECTORS = {
  transfer: 'a9059cbb',
  balanceOf: '70a08231',
  decimals: '313ce567',
  isBlackListed: 'e47d6060',
} as const;

/** Keccak-256 of `Transfer(address,address,uint256)`: the first topic of the log of a transfer. */
export const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const WORD_DIGITS = 64;
const WORD = /^[0-9a-f]{64}$/;
const MAX_WORD = 2n ** 256n - 1n;

export function transferCall(to: string, units: bigint): string {
  return SELECTORS.transfer + addressWord(to) + integerWord(units);
}

/** An address as a word: its twenty bytes, without the 41 of Tron. */
export function addressWord(address: string): string {
  return Buffer.from(addressBytes(address).subarray(1)).toString('hex').padStart(WORD_DIGITS, '0');
}

function integerWord(value: bigint): string {
  if (value < 0n || value > MAX_WORD) throw new RangeError('a word holds an integer from 0 to 2^256 - 1');
  return value.toString(16).padStart(WORD_DIGITS, '0');
}

/** The integer of one word; undefined when the text is not a word. */
export function readWord(text: string | undefined): bigint | undefined {
  return text !== undefined && WORD.test(text) ? BigInt(`0x${text}`) : undefined;
}
