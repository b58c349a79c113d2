// Addresses of EVM networks: 0x and twenty bytes in hexadecimal digits, whose capital letters are a checksum (EIP-55); an address with
// all letters in the same case has no checksum. https://eips.ethereum.org/EIPS/eip-55
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { AddressForm, AddressReading } from '../family.ts';

export const EVM_ADDRESSES: AddressForm = {
  form: '0x and 40 hexadecimal digits',
  of: 'Ethereum and its kin',
  description: '0x and 40 hexadecimal digits, with the EIP-55 checksum when small and capital letters are mixed',
  pattern: /^0x[0-9a-fA-F]{40}$/,
  read,
  mistake: text => (/^(0X)?[0-9a-fA-F]{40}$/.test(text) ? 'must begin with 0x' : undefined),
  fromBody: body => checksummed(Buffer.from(body).toString('hex')),
  // They seldom keep the capital letters of EIP-55.
  listedAs: /^0x[0-9a-f]{40}$/i,
  bodyOf: address => address.slice(2).toLowerCase(),
};

function read(text: string): AddressReading {
  const digits = text.slice(2);
  const address = checksummed(digits.toLowerCase());
  const isPlain = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (isPlain || text === address) return { address };
  const message = 'has capital letters that do not match its checksum (EIP-55): a character is wrong';
  return { refusal: { code: 'wrong_checksum', message } };
}

/** A letter is upper case where the hash of the lower-case address has a digit of 8 or more. */
function checksummed(digits: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  return `0x${[...digits].map((digit, at) => (hash[at]! >= '8' ? digit.toUpperCase() : digit)).join('')}`;
}
