// Reads what nodes answer. A value that is not exactly what the JSON-RPC specification says is undefined, which counts as no
// answer: a node that is half right is not to be trusted with money.
import type { RecoverableSignature } from '../signer/recover.ts';
import type { UnsignedTransaction } from '../signer/signer.ts';

export type BlockHead = {
  readonly number: bigint;
  readonly hash: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  /** 0 where the network does not have it. */
  readonly baseFee: bigint;
};

export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

export type TransactionReceipt = {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly blockNumber: bigint;
  readonly isSuccess: boolean;
  /** The fee that the network took, L1 fee included, in wei. */
  readonly feeUnits: bigint;
  readonly logs: readonly Log[];
};

/** Reads a value, or is undefined when it is malformed. */
export type Read<T> = (value: unknown) => T | undefined;

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const BYTES = /^0x([0-9a-f]{2})*$/i;
const MAX_LOGS = 1_000;
const MAX_TOPICS = 4;

export const readQuantity: Read<bigint> = value =>
  typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : undefined;

/** In small letters. */
export const readHash: Read<string> = value => textOf(HASH, value);

export const readBytes: Read<string> = value => textOf(BYTES, value);

/** A word of 32 bytes as a number: what most functions of a token return. */
export const readWord: Read<bigint> = value => {
  const hash = readHash(value);
  return hash === undefined ? undefined : BigInt(hash);
};

/** A block, or null where it does not exist. */
export const readHead: Read<BlockHead | null> = value => {
  if (value === null) return null;
  const number = readQuantity(at(value, 'number'));
  const hash = readHash(at(value, 'hash'));
  const timestamp = readQuantity(at(value, 'timestamp'));
  const baseFee = at(value, 'baseFeePerGas') === undefined ? 0n : readQuantity(at(value, 'baseFeePerGas'));
  if (number === undefined || hash === undefined || timestamp === undefined || baseFee === undefined) return undefined;
  return { number, hash, timestamp, baseFee };
};

/** The hashes of a block's transactions, or null where there is no such block. */
export const readBlockTransactions: Read<readonly string[] | null> = value => {
  if (value === null) return null;
  const given = at(value, 'transactions');
  if (!Array.isArray(given)) return undefined;
  const hashes = given.map(readHash);
  return hashes.every(hash => hash !== undefined) ? hashes : undefined;
};

/** Whether a node knows a transaction, mined or not. */
export const readIsKnown: Read<boolean> = value => {
  if (value === null) return false;
  return readHash(at(value, 'hash')) === undefined ? undefined : true;
};

/** A receipt, or null while the transaction is not mined or not indexed. */
export const readReceipt: Read<TransactionReceipt | null> = value => {
  if (value === null) return null;
  const transactionHash = readHash(at(value, 'transactionHash'));
  const blockHash = readHash(at(value, 'blockHash'));
  const blockNumber = readQuantity(at(value, 'blockNumber'));
  const status = readQuantity(at(value, 'status'));
  const gasUsed = readQuantity(at(value, 'gasUsed'));
  const gasPrice = readQuantity(at(value, 'effectiveGasPrice'));
  const given = at(value, 'l1Fee');
  const l1Fee = given === undefined || given === null ? 0n : readQuantity(given);
  const logs = readLogs(at(value, 'logs'));
  if (transactionHash === undefined || blockHash === undefined || blockNumber === undefined) return undefined;
  if (gasUsed === undefined || gasPrice === undefined || l1Fee === undefined || logs === undefined) return undefined;
  if (status !== 0n && status !== 1n) return undefined;
  const feeUnits = gasUsed * gasPrice + l1Fee;
  return { transactionHash, blockHash, blockNumber, isSuccess: status === 1n, feeUnits, logs };
};

/** A transaction of type 2 in a block, with its signature. */
export type SignedFields = {
  readonly fields: UnsignedTransaction;
  readonly signature: RecoverableSignature;
  readonly blockNumber: bigint;
};

/** `absent`: the node does not know it, has it in no block, or it is of another type. */
export const readSignedFields: Read<SignedFields | 'absent'> = value => {
  const blockNumber = readQuantity(at(value, 'blockNumber'));
  if (value === null || blockNumber === undefined || readQuantity(at(value, 'type')) !== 2n) return 'absent';
  const to = textOf(ADDRESS, at(value, 'to'));
  const data = readBytes(at(value, 'input'));
  const [chainId, nonce, amount] = [at(value, 'chainId'), at(value, 'nonce'), at(value, 'value')].map(readQuantity);
  const gas = readQuantity(at(value, 'gas'));
  const maxFeePerGas = readQuantity(at(value, 'maxFeePerGas'));
  const maxPriorityFeePerGas = readQuantity(at(value, 'maxPriorityFeePerGas'));
  const [r, s] = [at(value, 'r'), at(value, 's')].map(readQuantity);
  const parity = readQuantity(at(value, 'yParity') ?? at(value, 'v'));
  if (to === undefined || data === undefined) return 'absent';
  if (chainId === undefined || nonce === undefined || amount === undefined || gas === undefined) return undefined;
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined) return undefined;
  if (r === undefined || s === undefined || (parity !== 0n && parity !== 1n)) return undefined;
  return {
    fields: {
      chainId: Number(chainId),
      nonce,
      to,
      value: amount,
      data,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
    },
    signature: { r: wordOf(r), s: wordOf(s), yParity: parity === 1n ? 1 : 0 },
    blockNumber,
  };
};

function wordOf(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

export type TransferLog = Log & { readonly transactionHash: string };

/** The logs of a range of blocks, each with its transaction. */
export const readTransferLogs: Read<TransferLog[]> = value => {
  if (!Array.isArray(value)) return undefined;
  const logs = value.map(given => {
    const [log, transactionHash] = [readLog(given), readHash(at(given, 'transactionHash'))];
    return log && transactionHash !== undefined ? { ...log, transactionHash } : undefined;
  });
  return logs.every(log => log !== undefined) ? logs : undefined;
};

const readLogs: Read<Log[]> = value => {
  if (!Array.isArray(value) || value.length > MAX_LOGS) return undefined;
  const logs = value.map(readLog);
  return logs.every(log => log !== undefined) ? logs : undefined;
};

const readLog: Read<Log> = value => {
  const address = textOf(ADDRESS, at(value, 'address'));
  const data = readBytes(at(value, 'data'));
  const given: unknown = at(value, 'topics');
  if (!Array.isArray(given) || given.length > MAX_TOPICS) return undefined;
  const topics = given.map(readHash);
  if (address === undefined || data === undefined || !topics.every(topic => topic !== undefined)) return undefined;
  return { address, topics, data };
};

function textOf(form: RegExp, value: unknown): string | undefined {
  return typeof value === 'string' && form.test(value) ? value.toLowerCase() : undefined;
}

export function at(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  return Reflect.get(value, field);
}
