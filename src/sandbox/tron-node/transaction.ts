// A transaction as a node reads it from its bytes, and the address that signed it.
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { allBytesOf, bytesOf, integerOf, Malformed, parseMessage } from './wire.ts';

export type Contract =
  | { readonly type: 'TransferContract'; readonly owner: string; readonly to: string; readonly amount: bigint }
  | {
      readonly type: 'TriggerSmartContract';
      readonly owner: string;
      readonly contract: string;
      readonly callValue: bigint;
      readonly data: Buffer;
    };

export type NodeTransaction = {
  readonly id: string;
  /** The whole signed transaction. */
  readonly bytes: Buffer;
  readonly rawData: Buffer;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: bigint;
  readonly contracts: readonly Contract[];
  readonly signatures: readonly Buffer[];
};

export function readTransaction(bytes: Buffer): NodeTransaction {
  const fields = parseMessage(bytes);
  const rawData = bytesOf(fields, 1);
  const raw = parseMessage(rawData);
  return {
    id: createHash('sha256').update(rawData).digest('hex'),
    bytes,
    rawData,
    refBlockBytes: bytesOf(raw, 1).toString('hex'),
    refBlockHash: bytesOf(raw, 4).toString('hex'),
    expiration: Number(integerOf(raw, 8)),
    timestamp: Number(integerOf(raw, 14)),
    feeLimit: integerOf(raw, 18),
    contracts: allBytesOf(raw, 11).map(readContract),
    signatures: allBytesOf(fields, 2),
  };
}

const TYPE_URL = 'type.googleapis.com/protocol.';

function readContract(bytes: Buffer): Contract {
  const fields = parseMessage(bytes);
  const any = parseMessage(bytesOf(fields, 2));
  const value = parseMessage(bytesOf(any, 2));
  const typeUrl = bytesOf(any, 1).toString('utf8');
  const type = integerOf(fields, 1);
  const owner = bytesOf(value, 1).toString('hex');
  if (type === 1n && typeUrl === `${TYPE_URL}TransferContract`) {
    return { type: 'TransferContract', owner, to: bytesOf(value, 2).toString('hex'), amount: integerOf(value, 3) };
  }
  if (type === 31n && typeUrl === `${TYPE_URL}TriggerSmartContract`) {
    const contract = bytesOf(value, 2).toString('hex');
    return { type: 'TriggerSmartContract', owner, contract, callValue: integerOf(value, 3), data: bytesOf(value, 4) };
  }
  throw new Malformed(`contract type ${type} (${typeUrl}) is not one of this node`);
}

/** The address whose key signed the id; undefined when no address can be recovered. */
export function signerOf(id: string, signature: Buffer): string | undefined {
  if (signature.length < 65) return undefined;
  try {
    const parity = (signature[64]! - 27 + 4) % 4;
    const recoverable = Buffer.concat([Buffer.of(parity), signature.subarray(0, 64)]);
    const point = secp256k1.Signature.fromBytes(recoverable, 'recovered').recoverPublicKey(Buffer.from(id, 'hex'));
    return `41${Buffer.from(keccak_256(point.toBytes(false).subarray(1)))
      .toString('hex')
      .slice(-40)}`;
  } catch {
    return undefined;
  }
}
