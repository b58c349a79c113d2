// Who signed a text with a wallet: `personal_sign` of EVM wallets (EIP-191, version 0x45) and `signMessageV2` of Tron wallets.
// They differ only in the prefix. https://eips.ethereum.org/EIPS/eip-191 https://tronweb.network/docu/docs/Sign%20and%20Verify%20Message
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Network } from './asset.ts';
import { familyOf } from './networks.ts';

/** 65 bytes r ‖ s ‖ v in hexadecimal digits, with or without 0x. */
export const MESSAGE_SIGNATURE = /^(?:0x)?([0-9a-fA-F]{128})([0-9a-fA-F]{2})$/;

/** The parity of each v: most wallets write 27 and 28, some hardware wallets 0 and 1. */
const PARITIES: Readonly<Record<number, 0 | 1>> = { 0: 0, 1: 1, 27: 0, 28: 1 };

const ADDRESS_BYTES = 20;

/**
 * The address whose key signed the text; undefined for bytes that are not a signature. An s in the upper half counts, as it
 * does for the ecrecover of contracts: EIP-2 refuses it in transactions only.
 *
 * @example
 * messageSigner('polygon', 'a text', '0x…1b') // '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
 */
export function messageSigner(network: Network, text: string, signature: string): string | undefined {
  const [, compact, v] = MESSAGE_SIGNATURE.exec(signature) ?? [];
  const parity = v === undefined ? undefined : PARITIES[Number.parseInt(v, 16)];
  if (compact === undefined || parity === undefined) return undefined;
  const { addresses, messages } = familyOf(network);
  const publicKey = recover(Buffer.from(compact, 'hex'), parity, digestOf(messages.prefix, text));
  return publicKey && addresses.fromBody(keccak_256(publicKey.subarray(1)).subarray(-ADDRESS_BYTES));
}

function digestOf(prefix: string, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return keccak_256(Buffer.concat([Buffer.from(`${prefix}${bytes.length}`, 'ascii'), bytes]));
}

/** The uncompressed public key. Not every r is the x of a point. */
function recover(compact: Uint8Array, parity: 0 | 1, digest: Uint8Array): Uint8Array | undefined {
  try {
    const signature = secp256k1.Signature.fromBytes(compact, 'compact');
    return signature.addRecoveryBit(parity).recoverPublicKey(digest).toBytes(false);
  } catch {
    return undefined;
  }
}
