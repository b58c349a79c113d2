// Blocks, transactions and receipts in the JSON of java-tron, which leaves zero and empty values out.
import { createHash } from 'node:crypto';
import type { Mined, NodeBlock } from './blocks.ts';
import type { Contract, NodeTransaction } from './transaction.ts';

type Json = Readonly<Record<string, unknown>>;

/** `hides`: its transactions are left out, and its header is as it was signed. */
export function blockView(block: NodeBlock, isDetailed: boolean, hides = false): Json {
  const { id, number, parentId, timeMs, mined } = block;
  return {
    blockID: id,
    block_header: {
      raw_data: {
        ...unlessZero('number', number),
        txTrieRoot: rootOf(mined),
        witness_address: `41${id.slice(24)}`,
        parentHash: parentId,
        version: 31,
        ...unlessZero('timestamp', timeMs),
      },
      witness_signature: ''.padEnd(130, id),
    },
    ...(isDetailed && !hides && mined.length > 0 && { transactions: mined.map(minedView) }),
  };
}

/** Zero for a block without transactions, as java-tron writes it. */
function rootOf(mined: readonly Mined[]): string {
  if (mined.length === 0) return ''.padEnd(64, '0');
  return createHash('sha256')
    .update(mined.map(({ transaction }) => transaction.id).join())
    .digest('hex');
}

export function minedView({ transaction, receipt }: Mined): Json {
  return { ret: [{ contractRet: receipt.result }], ...transactionView(transaction) };
}

export function transactionView(transaction: NodeTransaction): Json {
  const { id, rawData, signatures, contracts, refBlockBytes, refBlockHash, expiration, timestamp, feeLimit } =
    transaction;
  return {
    signature: signatures.map(signature => signature.toString('hex')),
    txID: id,
    raw_data: {
      contract: contracts.map(contract => ({
        parameter: { value: contractView(contract), type_url: `type.googleapis.com/protocol.${contract.type}` },
        type: contract.type,
      })),
      ref_block_bytes: refBlockBytes,
      ref_block_hash: refBlockHash,
      expiration,
      ...unlessZero('fee_limit', Number(feeLimit)),
      ...unlessZero('timestamp', timestamp),
    },
    raw_data_hex: rawData.toString('hex'),
  };
}

function contractView(contract: Contract): Json {
  if (contract.type === 'TransferContract') {
    return { amount: Number(contract.amount), owner_address: contract.owner, to_address: contract.to };
  }
  const { owner, contract: address, data } = contract;
  return { data: data.toString('hex'), owner_address: owner, contract_address: address };
}

export function infoView({ transaction, receipt }: Mined, { number, timeMs }: NodeBlock): Json {
  const { fee, netUsage, netFee, energyUsed, energyFee, result, value, logs } = receipt;
  const contract = transaction.contracts[0];
  const isCall = contract?.type === 'TriggerSmartContract';
  return {
    id: transaction.id,
    ...unlessZero('fee', Number(fee)),
    blockNumber: number,
    blockTimeStamp: timeMs,
    contractResult: [value],
    ...(isCall && { contract_address: contract.contract }),
    receipt: {
      ...unlessZero('energy_fee', Number(energyFee)),
      ...unlessZero('energy_usage_total', Number(energyUsed)),
      ...unlessZero('net_usage', netUsage),
      ...unlessZero('net_fee', Number(netFee)),
      ...(isCall && { result }),
    },
    ...(logs.length > 0 && { log: logs }),
    ...(result !== 'SUCCESS' && { result: 'FAILED', resMessage: Buffer.from(MESSAGES[result]).toString('hex') }),
  };
}

const MESSAGES = { REVERT: 'REVERT opcode executed', OUT_OF_ENERGY: 'Not enough energy for operation step executing' };

function unlessZero(name: string, value: number): Json {
  return value === 0 ? {} : { [name]: value };
}
