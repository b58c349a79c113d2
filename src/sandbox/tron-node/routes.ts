// The calls of the HTTP API of java-tron that a sender of crypto needs. `wallet/` shows the chain up to its head,
// `walletsolidity/` up to its solidified block.
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { fromBase58 } from './base58.ts';
import type { Blocks, NodeBlock } from './blocks.ts';
import type { Refusal } from './refusal.ts';
import { copyState, type Parameters } from './state.ts';
import { callToken } from './tokens.ts';
import { readTransaction } from './transaction.ts';
import { blockView, infoView, minedView, transactionView } from './views.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The part of the chain that a call sees. */
export type Sight = {
  readonly blocks: Blocks;
  readonly parameters: Parameters;
  /** The highest and the lowest block that it may show. */
  readonly top: NodeBlock;
  readonly lowest: number;
  /** The block of height 0, which identifies a network. */
  readonly genesis: NodeBlock;
  /** Whether transactions are shown at all. */
  readonly hides: boolean;
  /** Shown in the solidified block although it is not there. */
  readonly forges: (id: string) => boolean;
};

export type Broadcast = (bytes: Buffer) => { readonly id: string; readonly refusal?: Refusal };

type Route = (sight: Sight, body: Json, broadcast: Broadcast) => Json;

/** What java-tron answers, with status 200, when it cannot read or do what it is asked. */
export class BadCall extends Error {
  override readonly name = 'BadCall';
}

const hexOf = (text: string) => Buffer.from(text, 'utf8').toString('hex');

function addressIn(body: Json, name: string): string {
  const value = body[name];
  if (typeof value !== 'string')
    throw new BadCall(`class java.security.InvalidParameterException : ${name} isn't set.`);
  const address = body['visible'] === true ? fromBase58(value) : value;
  if (!address || !/^41[0-9a-fA-F]{40}$/.test(address)) {
    throw new BadCall(`class org.tron.core.services.http.JsonFormat$ParseException : INVALID ${name}`);
  }
  return address.toLowerCase();
}

function idIn(body: Json): string {
  const { value } = body;
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/i.test(value)) throw new BadCall('INVALID hex String');
  return value.toLowerCase();
}

function shownBlock({ blocks, top, lowest, genesis }: Sight, number: number): NodeBlock | undefined {
  if (number === 0) return genesis;
  return number <= top.number && number >= lowest ? blocks.at(number) : undefined;
}

const getBlock: Route = (sight, { id_or_num: wanted, detail }) => {
  if (wanted === undefined) return blockView(sight.top, detail === true);
  if (typeof wanted !== 'string' || !/^\d+$/.test(wanted)) throw new BadCall('INVALID id_or_num');
  const block = shownBlock(sight, Number(wanted));
  return block ? blockView(block, detail === true) : {};
};

const getBlockByNum: Route = (sight, { num = 0 }) => {
  const block = shownBlock(sight, Number(num));
  return block ? blockView(block, true) : {};
};

const MAX_BLOCKS_A_CALL = 100;

/** `BlockLimitNext`: the end is not included; a range that is too long or empty is an answer without blocks. */
const getBlockByLimitNext: Route = (sight, { startNum = 0, endNum = 0 }) => {
  const [start, end] = [Number(startNum), Number(endNum)];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) throw new BadCall('INVALID startNum or endNum');
  if (end <= start || end - start > MAX_BLOCKS_A_CALL) return {};
  const shown = Array.from({ length: end - start }, (_, index) => shownBlock(sight, start + index));
  const block = shown.flatMap(one => (one ? [blockView(one, true, sight.hides)] : []));
  return block.length === 0 ? {} : { block };
};

function findShown(sight: Sight, id: string) {
  const found = sight.hides ? undefined : sight.blocks.find(id);
  return found && shownBlock(sight, found.block.number) ? found : undefined;
}

const getInfo: Route = (sight, body) => {
  const id = idIn(body);
  if (sight.forges(id)) return { id, blockNumber: sight.blocks.solid().number, receipt: { result: 'SUCCESS' } };
  const found = findShown(sight, id);
  return found ? infoView(found.mined, found.block) : {};
};

const getTransaction: Route = (sight, body) => {
  const id = idIn(body);
  if (sight.forges(id)) return { ret: [{ contractRet: 'SUCCESS' }], txID: id };
  const found = findShown(sight, id);
  return found ? minedView(found.mined) : {};
};

const getWaiting: Route = ({ blocks, hides }, body) => {
  const id = idIn(body);
  const found = hides ? undefined : blocks.waiting().find(transaction => transaction.id === id);
  return found ? transactionView(found) : {};
};

const getAccount: Route = ({ top }, body) => {
  const address = addressIn(body, 'address');
  const account = top.state.accounts.get(address);
  const isContract = top.state.tokens.has(address);
  if (!account && !isContract) return {};
  const balance = account?.balance ?? 0n;
  return {
    address: body['visible'] === true ? body['address'] : address,
    ...(balance > 0n && { balance: Number(balance) }),
    ...(isContract && { type: 'Contract' }),
  };
};

const triggerConstant: Route = ({ top }, body) => {
  const [owner, contract] = [addressIn(body, 'owner_address'), addressIn(body, 'contract_address')];
  if (!top.state.tokens.has(contract)) {
    const message = hexOf('Smart contract is not exist.');
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } };
  }
  const called = callToken(copyState(top.state), contract, owner, callData(body), true);
  const isReturned = called.kind === 'returned';
  return {
    result: { result: true, ...(!isReturned && { message: hexOf('REVERT opcode executed') }) },
    energy_used: Number(called.energy),
    constant_result: [isReturned ? called.value : ''],
    transaction: { ret: [isReturned ? {} : { ret: 'FAILED' }], visible: body['visible'] === true },
  };
};

function callData({ function_selector: signature, parameter = '', data = '' }: Json): Buffer {
  if (typeof signature !== 'string') return Buffer.from(String(data), 'hex');
  const selector = Buffer.from(keccak_256(Buffer.from(signature))).subarray(0, 4);
  return Buffer.concat([selector, Buffer.from(String(parameter), 'hex')]);
}

const getParameters: Route = ({ parameters }) => ({
  chainParameter: [
    { key: 'getMaintenanceTimeInterval', value: 21_600_000 },
    { key: 'getCreateAccountFee', value: Number(parameters.createAccountFee) },
    { key: 'getTransactionFee', value: Number(parameters.transactionFee) },
    { key: 'getCreateNewAccountFeeInSystemContract', value: Number(parameters.createNewAccountFee) },
    { key: 'getEnergyFee', value: Number(parameters.energyFee) },
    { key: 'getMaxFeeLimit', value: Number(parameters.maxFeeLimit) },
    { key: 'getFreeNetLimit', value: parameters.freeNetLimit },
    { key: 'getAllowTvmFreeze' },
  ],
});

/** Its message is text, that of the other broadcast is hexadecimal. */
const broadcastHex: Route = (_sight, { transaction }, broadcast) => {
  if (typeof transaction !== 'string' || !/^(?:[0-9a-fA-F]{2})+$/.test(transaction)) throw new BadCall('INVALID hex');
  const bytes = Buffer.from(transaction, 'hex');
  const { id, refusal } = broadcast(bytes);
  const view = JSON.stringify({ visible: true, ...transactionView(readTransaction(bytes)) });
  const said = refusal ? { result: false, code: refusal.code, message: refusal.message } : ACCEPTED_HEX;
  return { ...said, transaction: view, txid: id };
};

const ACCEPTED_HEX = { result: true, code: 'SUCCESS', message: '' };

const broadcastJson: Route = (_sight, { raw_data_hex: rawData, signature, txID }, broadcast) => {
  const raw = Buffer.from(String(rawData), 'hex');
  if (createHash('sha256').update(raw).digest('hex') !== txID) throw new BadCall('INVALID txID');
  const signatures = Array.isArray(signature) ? signature.map(each => Buffer.from(String(each), 'hex')) : [];
  const bytes = Buffer.concat([field(0x0a, raw), ...signatures.map(each => field(0x12, each))]);
  const { id, refusal } = broadcast(bytes);
  return refusal ? { code: refusal.code, txid: id, message: hexOf(refusal.message) } : { result: true, txid: id };
};

function field(key: number, value: Buffer): Buffer {
  const length = value.length < 128 ? [value.length] : [(value.length % 128) + 128, Math.floor(value.length / 128)];
  return Buffer.concat([Buffer.of(key, ...length), value]);
}

const READS: Readonly<Record<string, Route>> = {
  getblock: getBlock,
  getnowblock: ({ top }) => blockView(top, true),
  getblockbynum: getBlockByNum,
  getblockbylimitnext: getBlockByLimitNext,
  getaccount: getAccount,
  gettransactionbyid: getTransaction,
  gettransactioninfobyid: getInfo,
  triggerconstantcontract: triggerConstant,
};

/** By the name after `wallet/` or `walletsolidity/`. */
export function findRoute(side: string, name: string): Route | undefined {
  if (side === 'walletsolidity') return READS[name];
  if (side !== 'wallet') return undefined;
  return { ...READS, ...FULL_NODE_ONLY }[name];
}

const FULL_NODE_ONLY: Readonly<Record<string, Route>> = {
  gettransactionfrompending: getWaiting,
  getchainparameters: getParameters,
  broadcasthex: broadcastHex,
  broadcasttransaction: broadcastJson,
};
