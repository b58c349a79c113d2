// Type 2 transactions: built, signed and read back. Whatever a signer returns is checked field by field and by the address
// that its signature recovers to, before anybody sees it: a wrong byte here is money sent elsewhere.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Hex } from 'viem';
import { keccak256, parseTransaction, serializeTransaction } from 'viem/utils';
import { addressOf } from '../address.ts';
import type { Signed } from '../chain.ts';
import type { RecoverableSignature } from '../signer/recover.ts';
import { addressesOf, signRecoverable } from '../signer/recoverable.ts';
import {
  type DigestSigner,
  type Signer,
  SignerRefused,
  SignerSilent,
  type UnsignedTransaction,
} from '../signer/signer.ts';
import { hexOf } from './contracts.ts';

/** A type 2 transaction without an access list. */
export type Transaction = UnsignedTransaction;

/** The bytes of exactly this transaction, signed by exactly this address, or why it was not signed. */
export async function signTransaction(signer: Signer, transaction: Transaction, sender: string): Promise<Signed> {
  try {
    const raw =
      signer.kind === 'transaction'
        ? checked(await signer.signTransaction(transaction), transaction, sender)
        : await signedBytes(signer, transaction, sender);
    if (raw !== undefined) return { kind: 'signed', hash: keccak256(raw), raw };
    return { kind: 'refused', message: 'the signer returned another transaction than the one it was asked to sign' };
  } catch (error) {
    if (error instanceof SignerSilent) return { kind: 'unknown', message: 'the signer does not answer' };
    if (error instanceof SignerRefused) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/** Reads signed bytes; undefined for anything that is not a signed type 2 transaction without an access list. */
export function readTransaction(
  raw: string,
): { readonly fields: Transaction; readonly signature: RecoverableSignature } | undefined {
  const parsed = parse(raw);
  if (parsed?.type !== 'eip1559' || parsed.accessList?.length) return undefined;
  const { chainId, to, r, s, yParity, nonce = 0, value = 0n, data = '0x', gas = 0n } = parsed;
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parsed;
  if (!to || !r || !s || (yParity !== 0 && yParity !== 1) || r.length !== 66 || s.length !== 66) return undefined;
  const address = addressOf('evm', Buffer.from(to.slice(2), 'hex'));
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const fields = { chainId, nonce: BigInt(nonce), to: address, value, data, gas, ...fees };
  const signature = { r: bytesOf(r), s: bytesOf(s), yParity } as const;
  // Serialised again it must give the same bytes, which proves that everything in them was read.
  return serialize(fields, signature) === raw.toLowerCase() ? { fields, signature } : undefined;
}

/** The address that signed a transaction; undefined when no key can have made the signature. */
export function senderOf({ fields, signature }: NonNullable<ReturnType<typeof readTransaction>>): string | undefined {
  return recover(digestOf(fields), signature);
}

function checked(raw: string, asked: Transaction, sender: string): Hex | undefined {
  const read = readTransaction(raw);
  if (!read || !isSame(read.fields, asked)) return undefined;
  return senderOf(read) === sender ? hexOf(raw.toLowerCase()) : undefined;
}

async function signedBytes(signer: DigestSigner, asked: Transaction, sender: string): Promise<Hex | undefined> {
  if (addressesOf(signer.publicKey).evm !== sender) return undefined;
  return serialize(asked, await signRecoverable(signer, digestOf(asked)));
}

function isSame(signed: Transaction, asked: Transaction): boolean {
  return (
    signed.chainId === asked.chainId &&
    signed.nonce === asked.nonce &&
    signed.to === asked.to &&
    signed.value === asked.value &&
    signed.data === asked.data &&
    signed.gas === asked.gas &&
    signed.maxFeePerGas === asked.maxFeePerGas &&
    signed.maxPriorityFeePerGas === asked.maxPriorityFeePerGas
  );
}

/** The bytes of a transaction, without a signature those that are signed. */
export function serialize(transaction: Transaction, signature?: RecoverableSignature): Hex {
  const { to, data, nonce, ...fields } = transaction;
  return serializeTransaction(
    { ...fields, type: 'eip1559', to: hexOf(to), data: hexOf(data), nonce: Number(nonce) },
    signature && { r: hexText(signature.r), s: hexText(signature.s), yParity: signature.yParity },
  );
}

function digestOf(transaction: Transaction): Uint8Array {
  return keccak256(serialize(transaction), 'bytes');
}

/** The address whose key made the signature; undefined if no key can have made it, or if s is high, which networks refuse. */
function recover(digest: Uint8Array, { r, s, yParity }: RecoverableSignature): string | undefined {
  try {
    const signature = secp256k1.Signature.fromBytes(Buffer.concat([r, s]), 'compact').addRecoveryBit(yParity);
    return signature.hasHighS() ? undefined : addressesOf(signature.recoverPublicKey(digest).toBytes(false)).evm;
  } catch {
    return undefined;
  }
}

function parse(raw: string) {
  try {
    return parseTransaction(/^0x02/i.test(raw) ? hexOf(raw) : '0x');
  } catch {
    return undefined;
  }
}

function bytesOf(hex: Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex');
}

function hexText(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`;
}
