// Builds the bytes of a transfer: the raw data, whose SHA-256 hash is the transaction's id and is what is signed, and the
// signed transaction. Fields: Tron.proto, balance_contract.proto and smart_contract.proto of java-tron. A test compares every
// byte with tronweb.
import { sha256 } from '@noble/hashes/sha2.js';
import type { RecoverableSignature } from '../signer/recover.ts';
import { transferCall } from './abi.ts';
import { addressBytes } from './hex-address.ts';
import { bytesField, concat, integerField } from './protobuf.ts';

/** The block that a transaction names: it is valid only on a chain that has it. */
type BlockReference = { readonly number: number; readonly id: string };

export type TronTransfer = {
  readonly owner: string;
  readonly to: string;
  readonly units: bigint;
  /** The contract of the token, and the most that the call may cost; neither for TRX. */
  readonly token?: { readonly contract: string; readonly feeLimit: bigint };
  readonly reference: BlockReference;
  readonly expirationMs: number;
  readonly timestampMs: number;
};

export type UnsignedTransaction = { readonly rawData: Uint8Array; readonly id: Uint8Array };

const TYPES = {
  TransferContract: 1n,
  TriggerSmartContract: 31n,
} as const;
const FIRST_PARITY = 27;
/** The numbers of the fields of `Transaction.raw`. */
const RAW = {
  refBlockBytes: 1,
  refBlockHash: 4,
  expiration: 8,
  contract: 11,
  timestamp: 14,
  feeLimit: 18,
} as const;

export function unsignedTransaction(transfer: TronTransfer): UnsignedTransaction {
  const { token, reference, expirationMs, timestampMs } = transfer;
  const rawData = concat(
    bytesField(RAW.refBlockBytes, refBlockBytes(reference)),
    bytesField(RAW.refBlockHash, refBlockHash(reference)),
    integerField(RAW.expiration, BigInt(expirationMs)),
    bytesField(RAW.contract, token ? tokenContract(transfer, token.contract) : coinContract(transfer)),
    integerField(RAW.timestamp, BigInt(timestampMs)),
    integerField(RAW.feeLimit, token?.feeLimit ?? 0n),
  );
  return { rawData, id: sha256(rawData) };
}

export function signedTransaction({ rawData }: UnsignedTransaction, signature: RecoverableSignature): Uint8Array {
  return concat(bytesField(1, rawData), bytesField(2, signatureBytes(signature)));
}

/** 65 bytes: r, s, and the parity as 27 or 28. */
export function signatureBytes({ r, s, yParity }: RecoverableSignature): Uint8Array {
  return concat(r, s, Uint8Array.of(FIRST_PARITY + yParity));
}

/** Bytes 6 to 8 of the height as eight bytes. */
function refBlockBytes({ number }: BlockReference): Uint8Array {
  return Uint8Array.of((number >>> 8) & 0xff, number & 0xff);
}

/** Bytes 8 to 16 of the id of the block. */
function refBlockHash({ id }: BlockReference): Uint8Array {
  return Buffer.from(id, 'hex').subarray(8, 16);
}

function coinContract({ owner, to, units }: TronTransfer): Uint8Array {
  const value = concat(bytesField(1, addressBytes(owner)), bytesField(2, addressBytes(to)), integerField(3, units));
  return contract('TransferContract', value);
}

function tokenContract({ owner, to, units }: TronTransfer, token: string): Uint8Array {
  const value = concat(
    bytesField(1, addressBytes(owner)),
    bytesField(2, addressBytes(token)),
    bytesField(4, Buffer.from(transferCall(to, units), 'hex')),
  );
  return contract('TriggerSmartContract', value);
}

/** A contract is wrapped in a `google.protobuf.Any`, which names its type. */
function contract(type: keyof typeof TYPES, value: Uint8Array): Uint8Array {
  const any = concat(bytesField(1, Buffer.from(`type.googleapis.com/protocol.${type}`)), bytesField(2, value));
  return concat(integerField(1, TYPES[type]), bytesField(2, any));
}
