// Reads the answers of nodes strictly: a field that is missing, malformed or of another transaction makes the whole answer
// unreadable, which counts as no answer. Protobuf omits zero, false and empty values, so an absent number is zero.
import { valueAt } from '../../lib/exact-json.ts';
import { decodedMessage } from './messages.ts';
import type { Reader } from './provider.ts';

export type TronBlock = { readonly number: number; readonly id: string; readonly timeMs: number };

type TransferLog = { readonly contract: string; readonly topics: readonly string[]; readonly data: string };

/** What became of a transaction in a block. */
export type TransactionInfo = {
  readonly blockNumber: number;
  readonly feeUnits: bigint;
  /** The result of a contract call; undefined for a transfer of TRX. */
  readonly result?: string;
  /** Whether the node marks the transaction as failed. */
  readonly isFailed: boolean;
  readonly logs: readonly TransferLog[];
};

export type Account = { readonly balance: bigint; readonly isContract: boolean };

/** The result of a read-only call. */
export type ConstantCall =
  | { readonly kind: 'returned'; readonly energy: bigint; readonly words: readonly string[] }
  /** Executed, it would fail. */
  | { readonly kind: 'failed'; readonly message: string };

export type ChainParameters = {
  readonly energyFee: bigint;
  readonly bandwidthFee: bigint;
  /** Charged to a sender of TRX when the account does not exist yet: for the account, and instead of bandwidth. */
  readonly newAccountFee: bigint;
  readonly newAccountBandwidthFee: bigint;
};

const ID = /^[0-9a-f]{64}$/;
const HEX = /^(?:[0-9a-f]{2})*$/;
const INTEGER = /^\d{1,19}$/;
const CODE = /^[A-Z_]{1,40}$/;

/** `absent`: the node has no block at that height. */
export const readBlock: Reader<TronBlock | 'absent'> = answer => {
  if (isEmpty(answer)) return 'absent';
  const id = textAt(answer, 'blockID');
  const number = numberAt(answer, 'block_header', 'raw_data', 'number');
  const timeMs = numberAt(answer, 'block_header', 'raw_data', 'timestamp');
  // The first eight bytes of an id are the height.
  if (!id || !ID.test(id) || number === undefined || timeMs === undefined) return undefined;
  return BigInt(`0x${id.slice(0, 16)}`) === BigInt(number) ? { number, id, timeMs } : undefined;
};

/** `absent`: the node knows no such transaction in a block. */
export const readInfo =
  (hash: string): Reader<TransactionInfo | 'absent'> =>
  answer => {
    if (isEmpty(answer)) return 'absent';
    const blockNumber = numberAt(answer, 'blockNumber');
    const feeUnits = integerAt(answer, 'fee');
    const logs = readLogs(valueAt(answer, ['log']));
    if (textAt(answer, 'id') !== hash || !blockNumber || feeUnits === undefined || !logs) return undefined;
    const result = textAt(answer, 'receipt', 'result');
    if (result !== undefined && !CODE.test(result)) return undefined;
    const isFailed = textAt(answer, 'result') !== undefined;
    return { blockNumber, feeUnits, isFailed, logs, ...(result !== undefined && { result }) };
  };

/** The `contractRet` of a transaction that the node knows; `absent` when it knows none. */
export const readContractRet =
  (hash: string): Reader<string> =>
  answer => {
    if (isEmpty(answer)) return 'absent';
    if (textAt(answer, 'txID') !== hash) return undefined;
    const ret = textAt(answer, 'ret', '0', 'contractRet') ?? '';
    return ret === '' || CODE.test(ret) ? ret : undefined;
  };

/** The bytes of a transaction that the node knows: what was signed, and the signature. */
export const readSignedBytes =
  (hash: string): Reader<{ readonly rawData: Buffer; readonly signature: Buffer } | 'absent'> =>
  answer => {
    if (isEmpty(answer)) return 'absent';
    const [rawData, signature] = [textAt(answer, 'raw_data_hex'), textAt(answer, 'signature', '0')];
    if (textAt(answer, 'txID') !== hash || !isHex(rawData) || !isHex(signature)) return undefined;
    return { rawData: Buffer.from(rawData, 'hex'), signature: Buffer.from(signature, 'hex') };
  };

/** An address that was never used is an empty answer. */
export const readAccount =
  (hexAddress: string): Reader<Account> =>
  answer => {
    if (isEmpty(answer)) return { balance: 0n, isContract: false };
    const balance = integerAt(answer, 'balance');
    if (textAt(answer, 'address') !== hexAddress || balance === undefined) return undefined;
    return { balance, isContract: textAt(answer, 'type') === 'Contract' };
  };

export const readConstantCall: Reader<ConstantCall> = answer => {
  const message = textAt(answer, 'result', 'message');
  if (message !== undefined) return readFailedCall(decodedMessage(message), textAt(answer, 'result', 'code'));
  const energy = integerAt(answer, 'energy_used');
  const words = listAt(answer, 'constant_result');
  if (valueAt(answer, ['result', 'result']) !== true || energy === undefined || !words?.every(isHex)) return undefined;
  return { kind: 'returned', energy, words };
};

/** Some messages are about the node, not about the call: those are no answer. */
function readFailedCall(message: string, code: string | undefined): ConstantCall | undefined {
  if (message.includes('does not support constant')) return undefined;
  const isOfCall = code !== 'OTHER_ERROR' || message.includes('org.tron.core.vm.program.Program$');
  return isOfCall ? { kind: 'failed', message } : undefined;
}

export const readParameters: Reader<ChainParameters> = answer => {
  const values = new Map<string, bigint>();
  for (const entry of listAt(answer, 'chainParameter') ?? []) {
    const key = textAt(entry, 'key');
    const value = textAt(entry, 'value') ?? '0';
    // Some parameters are negative, but not those that are read here.
    if (key !== undefined && INTEGER.test(value)) values.set(key, BigInt(value));
  }
  const energyFee = values.get('getEnergyFee');
  const bandwidthFee = values.get('getTransactionFee');
  const newAccountFee = values.get('getCreateNewAccountFeeInSystemContract');
  const newAccountBandwidthFee = values.get('getCreateAccountFee');
  if (!energyFee || !bandwidthFee || newAccountFee === undefined || newAccountBandwidthFee === undefined) {
    return undefined;
  }
  return { energyFee, bandwidthFee, newAccountFee, newAccountBandwidthFee };
};

export const readBroadcast: Reader<{ readonly isTaken: boolean; readonly message: string }> = answer => {
  const code = textAt(answer, 'code') ?? '';
  const message = decodedMessage(textAt(answer, 'message') ?? '');
  const isTaken = valueAt(answer, ['result']) === true;
  if (!isTaken && !CODE.test(code)) return undefined;
  return { isTaken, message: [code, message].filter(Boolean).join(': ') };
};

export const readIsKnown =
  (hash: string): Reader<boolean> =>
  answer => {
    if (isEmpty(answer)) return false;
    return textAt(answer, 'txID') === hash ? true : undefined;
  };

function readLogs(value: unknown): TransferLog[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return undefined;
  const logs: TransferLog[] = [];
  for (const entry of value) {
    const contract = textAt(entry, 'address');
    const topics = listAt(entry, 'topics') ?? [];
    const data = textAt(entry, 'data') ?? '';
    if (!isHex(contract) || !topics.every(isHex) || !isHex(data)) return undefined;
    logs.push({ contract, topics, data });
  }
  return logs;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

const isHex = (value: unknown): value is string => typeof value === 'string' && HEX.test(value);

function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] | undefined {
  const found = valueAt(value, [key]);
  return Array.isArray(found) ? found : undefined;
}

/** Zero when absent; undefined when it is no integer of at most nineteen digits. */
function integerAt(value: unknown, ...path: string[]): bigint | undefined {
  const found = valueAt(value, path);
  if (found === undefined) return 0n;
  return typeof found === 'string' && INTEGER.test(found) ? BigInt(found) : undefined;
}

/** As `integerAt`, for heights and times, which a number holds exactly. */
function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = Number(integerAt(value, ...path));
  return Number.isSafeInteger(found) ? found : undefined;
}
