// Carries a transaction out on a state: bandwidth, then the contract, as java-tron does (Manager.processTransaction,
// BandwidthProcessor, TransferActuator, VMActuator). What the network refuses never enters a block; what fails inside a
// contract does, and costs.
import { Refusal } from './refusal.ts';
import type { Account, Parameters, State } from './state.ts';
import { callToken, type Log } from './tokens.ts';
import type { Contract, NodeTransaction } from './transaction.ts';

export type TransactionReceipt = {
  readonly fee: bigint;
  readonly netUsage: number;
  readonly netFee: bigint;
  readonly energyUsed: bigint;
  readonly energyFee: bigint;
  readonly result: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY';
  readonly value: string;
  readonly logs: readonly Log[];
};

/** The most that a result adds to the bytes of a transaction. */
export const RESULT_BYTES = 64;
const DAY_MS = 86_400_000;
const ADDRESS = /^41[0-9a-f]{40}$/;

export function execute(
  state: State,
  transaction: NodeTransaction,
  parameters: Parameters,
  nowMs: number,
): TransactionReceipt {
  const contract = transaction.contracts[0];
  if (!contract) throw new Refusal('CONTRACT_VALIDATE_ERROR', 'No contract!');
  const owner = state.accounts.get(contract.owner);
  if (!owner) throw new Refusal('CONTRACT_VALIDATE_ERROR', `account [${contract.owner}] does not exist`);
  const bandwidth = payBandwidth(state, owner, transaction, contract, parameters, nowMs);
  return contract.type === 'TransferContract'
    ? transferCoin(state, owner, contract, bandwidth, parameters)
    : trigger(state, owner, contract, transaction.feeLimit, bandwidth, parameters);
}

type Bandwidth = { readonly netUsage: number; readonly netFee: bigint };

function payBandwidth(
  { accounts }: State,
  owner: Account,
  { bytes }: NodeTransaction,
  contract: Contract,
  { transactionFee, createAccountFee, freeNetLimit }: Parameters,
  nowMs: number,
): Bandwidth {
  const size = bytes.length + RESULT_BYTES;
  const pay = (netFee: bigint): Bandwidth => {
    if (owner.balance < netFee) throw new Refusal('BANDWITH_ERROR', 'Account resource insufficient error.');
    owner.balance -= netFee;
    return { netUsage: 0, netFee };
  };
  if (contract.type === 'TransferContract' && !accounts.has(contract.to)) return pay(createAccountFee);
  // What was used comes back evenly over a day.
  const recovered = Math.max(0, 1 - (nowMs - owner.freeNetAtMs) / DAY_MS);
  const used = Math.ceil(owner.freeNetUsed * recovered);
  if (used + size > freeNetLimit) return pay(BigInt(size) * transactionFee);
  owner.freeNetUsed = used + size;
  owner.freeNetAtMs = nowMs;
  return { netUsage: size, netFee: 0n };
}

function transferCoin(
  { accounts, tokens }: State,
  owner: Account,
  { owner: from, to, amount }: Extract<Contract, { readonly type: 'TransferContract' }>,
  bandwidth: Bandwidth,
  { createNewAccountFee }: Parameters,
): TransactionReceipt {
  const refuse = (message: string) => new Refusal('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);
  if (!ADDRESS.test(from)) throw refuse('Invalid ownerAddress!');
  if (!ADDRESS.test(to)) throw refuse('Invalid toAddress!');
  if (from === to) throw refuse('Cannot transfer TRX to yourself.');
  if (amount <= 0n) throw refuse('Amount must be greater than 0.');
  if (tokens.has(to)) throw refuse('Cannot transfer TRX to a smartContract.');
  const payee = accounts.get(to);
  const newAccountFee = payee ? 0n : createNewAccountFee;
  if (owner.balance < amount + newAccountFee) {
    throw refuse('Validate TransferContract error, balance is not sufficient.');
  }
  owner.balance -= amount + newAccountFee;
  if (payee) payee.balance += amount;
  else accounts.set(to, { balance: amount, freeNetUsed: 0, freeNetAtMs: 0 });
  const fee = bandwidth.netFee + newAccountFee;
  return { ...bandwidth, fee, energyUsed: 0n, energyFee: 0n, result: 'SUCCESS', value: '', logs: [] };
}

function trigger(
  state: State,
  owner: Account,
  { owner: caller, contract, callValue, data }: Extract<Contract, { readonly type: 'TriggerSmartContract' }>,
  feeLimit: bigint,
  bandwidth: Bandwidth,
  { energyFee: price, maxFeeLimit }: Parameters,
): TransactionReceipt {
  const refuse = (message: string) => new Refusal('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);
  if (!state.tokens.has(contract)) throw refuse('No contract or not a smart contract');
  if (callValue !== 0n) throw refuse('the contracts of this node take no TRX');
  if (feeLimit < 0n || feeLimit > maxFeeLimit) throw refuse(`feeLimit must be >= 0 and <= ${maxFeeLimit}`);
  const payable = owner.balance < feeLimit ? owner.balance : feeLimit;
  const energyLimit = payable / price;
  // A call that runs out of energy has no effect, so it is tried on a copy of the token.
  const token = structuredClone(state.tokens.get(contract));
  const called = callToken(state, contract, caller, data, false);
  const isEnough = called.energy <= energyLimit;
  const isDone = isEnough && called.kind === 'returned';
  if (!isDone && token) state.tokens.set(contract, token);
  const energyUsed = isEnough ? called.energy : energyLimit;
  const energyFee = energyUsed * price;
  owner.balance -= energyFee;
  return {
    ...bandwidth,
    fee: bandwidth.netFee + energyFee,
    energyUsed,
    energyFee,
    result: isDone ? 'SUCCESS' : isEnough ? 'REVERT' : 'OUT_OF_ENERGY',
    value: isDone ? called.value : '',
    logs: isDone ? called.logs : [],
  };
}
